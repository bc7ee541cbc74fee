// Elements from plain values. Text always becomes a text node: answers and titles are hostile input.

export function el(tag, props = {}, ...children) {
  return furnish(document.createElement(tag), props, children);
}

export function svg(tag, props = {}, ...children) {
  return furnish(document.createElementNS("http://www.w3.org/2000/svg", tag), props, children);
}

function furnish(node, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "style") Object.assign(node.style, value); // by property: the policy forbids style attributes
    else if (name === "vars") for (const [key, v] of Object.entries(value)) node.style.setProperty(key, v);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  append(node, children);
  return node;
}

export function append(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

export function replace(node, ...children) {
  node.replaceChildren();
  append(node, children);
}

export function cssColour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

// A caption for screen readers. Hidden inside, because a caption that leaves the flow breaks the table's columns.
export function caption(text) {
  return el("caption", {}, el("span", { class: "visually-hidden" }, text));
}

export function badge() {
  return el("span", { class: "badge", title: "A reference endpoint of this program, no real service" }, "simulated");
}
