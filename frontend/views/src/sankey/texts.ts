/** Texts inside nodes: the name along the node, and in diff mode the numbers. */

import type { SankeyNode } from '../api.ts';
import { textOn } from '../logic/colour.ts';
import { formatChangeFrom, formatDelta } from '../logic/format.ts';
import { charactersIn, shorten } from '../logic/names.ts';
import { monoAdvance, svg, textStyle } from '../ui/dom.ts';
import { VERDICTS } from './content.ts';
import type { NodeDifference } from './model.ts';
import { fillOf, type NodeStyle } from './nodes.ts';

const NAME_SIZE = 12;
const NUMBER_SIZE = 11;
/** Width of a character of the sans stack, generously. */
const NUMBER_ADVANCE = 6.4;

/** Where a node's texts find room. */
export type TextPlace = 'along' | 'across' | 'beside';

/** The name of a node as it is shown. */
export function nodeName(node: SankeyNode): string {
  return node.kind === 'others' && !/\(\d/.test(node.name)
    ? `others (${node.members.length})`
    : node.name;
}

/** Place of the name; `across` has the numbers of a diff inside and the name beside. */
export function textPlace(node: SankeyNode, mode: NodeStyle['mode']): TextPlace {
  const { width, height } = node.geometry;
  if (height < 15 || width < 18) return 'beside';
  if (mode === 'diff')
    return height >= 92 && width >= 40 ? 'along' : height >= 38 ? 'across' : 'beside';
  const fits = charactersIn(height - 12, monoAdvance(NAME_SIZE));
  return fits >= Math.min([...nodeName(node)].length, 8) ? 'along' : 'beside';
}

/** Signed difference, and the change or the side that has it alone. */
export function numbersOf(difference: NodeDifference, unit: string): [string, string] {
  const isOneSided = difference.verdict === 'appeared' || difference.verdict === 'vanished';
  const second = isOneSided
    ? VERDICTS[difference.verdict]
    : formatChangeFrom(difference.a, difference.delta);
  return [formatDelta(difference.delta, unit), second];
}

export function drawTexts(
  node: SankeyNode,
  style: NodeStyle,
  difference: NodeDifference | undefined,
  unit: string,
): SVGElement[] {
  const place = textPlace(node, style.mode);
  if (place === 'beside') return [];
  const { width, height } = node.geometry;
  const isDiff = style.mode === 'diff';
  const ground = isDiff ? fillOf(difference, style) : style.palette.ground;
  const ink = isDiff ? textOn(ground) : style.palette.ink;
  const casing = {
    fill: ink,
    stroke: ground,
    'stroke-width': 3.5,
    'stroke-linejoin': 'round',
    'paint-order': 'stroke',
  };
  const numbers = isDiff && difference ? numbersOf(difference, unit).filter(Boolean) : [];
  if (place === 'across') {
    return numbers.map((text, line) => {
      const estimate = text.length * NUMBER_ADVANCE;
      const room = width - 9;
      return svg(
        'text',
        {
          ...textStyle(NUMBER_SIZE),
          ...casing,
          x: width / 2,
          y: height / 2 + (line - (numbers.length - 1) / 2) * 13,
          'text-anchor': 'middle',
          'dominant-baseline': 'central',
          textLength: estimate > room ? room : undefined,
          lengthAdjust: estimate > room ? 'spacingAndGlyphs' : undefined,
        },
        text,
      );
    });
  }
  const along = (x: number, size: number, isMono: boolean, text: string): SVGElement =>
    svg(
      'text',
      {
        ...textStyle(size, isMono),
        ...casing,
        transform: `translate(${x} ${height / 2}) rotate(-90)`,
        'text-anchor': 'middle',
        'dominant-baseline': 'central',
      },
      text,
    );
  const name = shorten(nodeName(node), charactersIn(height - 12, monoAdvance(NAME_SIZE)));
  const both = numbers.join(' · ');
  const number = both.length * NUMBER_ADVANCE < height - 10 ? both : (numbers[0] ?? '');
  return [
    along(number ? width * 0.33 : width / 2, NAME_SIZE, true, name),
    ...(number ? [along(width * 0.69, NUMBER_SIZE, false, number)] : []),
  ];
}
