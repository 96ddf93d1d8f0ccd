/** Where a view is: the page itself, or a shadow root whose floating things have a layer of their own. */

const layers = new WeakMap<Node, HTMLElement>();

/** Makes what floats over views below a root part of a layer. */
export function setLayer(root: ShadowRoot, layer: HTMLElement): void {
  layers.set(root, layer);
}

/** Element that holds what floats over a view. */
export function layerOf(element: Node): HTMLElement {
  return layers.get(element.getRootNode()) ?? document.body;
}

/** The element with the focus, as seen from a view: from outside, all of a shadow root is its host. */
export function activeElement(near: Node): Element | null {
  const root = near.getRootNode();
  return root instanceof ShadowRoot ? root.activeElement : document.activeElement;
}
