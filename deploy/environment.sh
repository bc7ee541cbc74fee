# Sourced by deploy/run and deploy/test: makes .venv and installs the project into it, once per change of
# pyproject.toml. The caller's working directory must be the repository's root.

say() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
}

give_up() {
    say "$*"
    exit 1
}

# Prints the first Python of at least 3.11. A name on the path may be a shim without a Python behind it, so
# each candidate has to answer. $PYTHON, when set, is the only candidate.
find_python() {
    for candidate in ${PYTHON:-python3.13 python3.12 python3.11 python3.14 python3 python}; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
            command -v "$candidate"
            return 0
        fi
    done
    return 1
}

# ensure_environment [EXTRA...]: the project and these extras are installed in .venv.
ensure_environment() {
    if ! .venv/bin/python -c '' >/dev/null 2>&1; then
        python=$(find_python) || give_up "needs Python 3.11 or newer; found: $(
            "${PYTHON:-python3}" --version 2>&1 || true
        ). Install one, or name it: PYTHON=/path/to/python3.12 $0"
        say "making .venv with $("$python" --version)"
        rm -rf .venv
        "$python" -m venv .venv ||
            give_up "cannot make a virtual environment; on Debian: apt-get install python3-venv"
    fi

    # The virtual environment's own stamps say which extras were installed for which pyproject.toml.
    wanted=$(.venv/bin/python -c 'import hashlib; print(hashlib.sha256(open("pyproject.toml", "rb").read()).hexdigest())')
    missing=
    for part in project "$@"; do
        [ "$(cat ".venv/installed-$part" 2>/dev/null)" = "$wanted" ] || missing="$missing $part"
    done
    [ -n "$missing" ] || return 0

    extras=$(printf '%s,' "$@")
    say "installing:$missing (the first time about a minute and 1.3 GB)"
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --editable ".${1:+[${extras%,}]}" ||
        give_up "the installation failed; pip's message is above"
    for part in project "$@"; do
        printf '%s\n' "$wanted" >".venv/installed-$part"
    done
}
