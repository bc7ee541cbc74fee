"""What text reviews are prepared from unless other files are named: rules, labelled cases, candidates."""
