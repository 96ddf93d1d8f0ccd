/** A page of texts, bars and pictures as one SVG, as it stands on the screen. */

import { svg } from './dom.ts';
import { serialiseSvg } from './export.ts';

/** Elements whose text is for screen readers, or that only the page needs. */
const LEFT_OUT = '.visually-hidden, [data-page-only], [hidden], input, select';

/** Everything that can be seen in an element, with its place. */
export function composeSvg(root: HTMLElement, ground: string, lens: string): string {
  const box = root.getBoundingClientRect();
  const picture = svg('svg', { width: box.width, height: box.height });
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, {
    acceptNode: (node) => {
      if (node instanceof Element && node.matches(LEFT_OUT)) return NodeFilter.FILTER_REJECT;
      const isInPicture = node.parentElement?.closest('svg');
      return isInPicture ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT;
    },
  });
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node instanceof SVGSVGElement) picture.append(placed(node, box));
    else if (node instanceof HTMLCanvasElement) picture.append(image(node, box));
    else if (node instanceof HTMLElement) picture.append(...block(node, box));
    else if (node.nodeType === Node.TEXT_NODE) picture.append(...lines(node as Text, box));
  }
  return serialiseSvg(picture, ground, lens);
}

function placed(element: SVGSVGElement, box: DOMRect): SVGSVGElement {
  const at = element.getBoundingClientRect();
  const copy = element.cloneNode(true) as SVGSVGElement;
  copy.setAttribute('x', String(at.left - box.left));
  copy.setAttribute('y', String(at.top - box.top));
  copy.setAttribute('width', String(at.width));
  copy.setAttribute('height', String(at.height));
  return copy;
}

function image(canvas: HTMLCanvasElement, box: DOMRect): SVGImageElement {
  const at = canvas.getBoundingClientRect();
  return svg('image', {
    x: at.left - box.left,
    y: at.top - box.top,
    width: at.width,
    height: at.height,
    href: canvas.toDataURL(),
  });
}

/** Ground and lower line of a block. */
function block(element: HTMLElement, box: DOMRect): SVGElement[] {
  const style = getComputedStyle(element);
  const at = element.getBoundingClientRect();
  const [x, y] = [at.left - box.left, at.top - box.top];
  const parts: SVGElement[] = [];
  if (!/rgba\(.*, 0\)|transparent/.test(style.backgroundColor))
    parts.push(
      svg('rect', { x, y, width: at.width, height: at.height, fill: style.backgroundColor }),
    );
  if (parseFloat(style.borderBottomWidth) > 0)
    parts.push(
      svg('line', {
        x1: x,
        x2: x + at.width,
        y1: y + at.height,
        y2: y + at.height,
        stroke: style.borderBottomColor,
      }),
    );
  return parts;
}

/** Each line of a text where the browser has put it. */
function lines(node: Text, box: DOMRect): SVGTextElement[] {
  const text = node.data.trim();
  const { parentElement } = node;
  if (text === '' || !parentElement) return [];
  const range = document.createRange();
  range.selectNodeContents(node);
  const [at] = range.getClientRects();
  if (!at || at.width === 0) return [];
  const style = getComputedStyle(parentElement);
  const size = parseFloat(style.fontSize);
  return [
    svg(
      'text',
      {
        x: at.left - box.left,
        y: at.bottom - box.top - size * 0.28,
        fill: style.color,
        'font-size': size,
        'font-family': style.fontFamily,
        'font-weight': style.fontWeight,
      },
      text,
    ),
  ];
}
