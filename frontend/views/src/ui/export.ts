/** Turns a drawn picture into files. */

import { svg } from './dom.ts';

/** Moves CSS transforms into attributes, drops what only the page needs, adds ground and lens. */
export function serialiseSvg(picture: SVGSVGElement, ground: string, lens: string): string {
  const width = picture.clientWidth || Number(picture.getAttribute('width'));
  const height = picture.clientHeight || Number(picture.getAttribute('height'));
  const copy = picture.cloneNode(true) as SVGSVGElement;
  for (const element of copy.querySelectorAll<SVGElement>('*')) {
    const transform = element.style.transform;
    if (transform) element.setAttribute('transform', transform.replace(/px/g, ''));
    for (const name of [
      'style',
      'class',
      'tabindex',
      'role',
      'aria-label',
      'aria-pressed',
      'aria-roledescription',
    ]) {
      element.removeAttribute(name);
    }
    if (element.hasAttribute('data-page-only')) element.remove();
  }
  for (const name of ['class', 'style', 'tabindex']) copy.removeAttribute(name);
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  copy.setAttribute('viewBox', `0 0 ${width} ${height}`);
  copy.prepend(
    svg('title', {}, 'Grainsheaf'),
    svg('metadata', {}, `lens: ${lens}`),
    svg('rect', { width, height, fill: ground }),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copy)}\n`;
}

/** A PNG of an SVG document at a multiple of its size. */
export async function rasterise(source: string, scale = 2): Promise<Blob> {
  const url = URL.createObjectURL(new Blob([source], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = Math.round(image.naturalWidth * scale);
    canvas.height = Math.round(image.naturalHeight * scale);
    const context = canvas.getContext('2d');
    if (!context) throw new Error('this browser has no canvas');
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => {
      canvas.toBlob((blob) => {
        if (blob) resolve(blob);
        else reject(new Error('the picture is too large for an image'));
      }, 'image/png');
    });
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** Hands a file to the user. */
export function download(content: Blob | string, name: string, type: string): void {
  const blob = typeof content === 'string' ? new Blob([content], { type }) : content;
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
