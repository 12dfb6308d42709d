/** The drawings as elements, built by hand: no markup is ever parsed, so a page may forbid that altogether. */
import sprite from "virtual:sprite";

const SVG = "http://www.w3.org/2000/svg";

/** A hidden box with one symbol per drawing; without a text, those that the panel itself needs. */
export function buildSprite(text = sprite): HTMLElement {
  const box = document.createElement("div");
  box.hidden = true;
  const stack: Element[] = [box];
  for (const [, close, name, attributes, empty] of text.matchAll(/<(\/?)([\w]+)([^>]*?)(\/?)>/g)) {
    if (close) { stack.pop(); continue; }
    const element = document.createElementNS(SVG, name!);
    for (const [, key, value] of attributes!.matchAll(/([\w-]+)='([^']*)'/g)) element.setAttribute(key!, value!);
    stack.at(-1)!.append(element);
    if (!empty) stack.push(element);
  }
  return box;
}
