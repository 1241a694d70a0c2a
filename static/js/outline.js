// Reads a nested list as the tree of a mind map.
// Upgrades: nothing. Listens to: nothing. Sends: nothing.

const MARKS = new Set(["strong", "em", "code"]);
const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

// Returns {content, children}; content is HTML of text and a few marks. A list of several items gets an empty root.
export function outlineOf(list) {
  const nodes = nodesOf(list);
  return nodes.length === 1 ? nodes[0] : { content: "", children: nodes };
}

function nodesOf(list) {
  return [...(list?.children ?? [])].map((item) => ({
    content: contentOf(item.querySelector(":scope > span")),
    children: nodesOf(item.querySelector(":scope > ul")),
  }));
}

function contentOf(node) {
  return [...node.childNodes].map((child) => {
    if (child.nodeType === Node.TEXT_NODE) return child.data.replace(/[&<>"]/g, (mark) => ENTITIES[mark]);
    const inner = contentOf(child);
    return MARKS.has(child.localName) ? `<${child.localName}>${inner}</${child.localName}>` : inner;
  }).join("");
}
