/** Text of a source file, with a bar and a number for each line that has values. */

import { differenceColour } from '../logic/colour.ts';
import { formatDelta, formatPlural, formatShare, formatValue } from '../logic/format.ts';
import { visible } from '../logic/visible.ts';
import { ChartView, nameOf } from '../ui/chart-view.ts';
import { html, prose } from '../ui/dom.ts';
import type { TooltipContent } from '../ui/tooltip.ts';
import type { Answers, Settings } from './definition.ts';
import { editorLink, keepTemplate, keptTemplate } from './editor.ts';
import { isCompared, linesOf, type SourceLine, type Source, sourceOf } from './model.ts';
import './source.css';

export class SourceView extends ChartView<Answers, Settings> {
  #shown = '';

  constructor() {
    super('source');
  }

  protected draw(answers: Answers): void {
    const source = sourceOf(answers);
    if (!source)
      return this.root.replaceChildren(html('p', { class: 'gs-quiet' }, 'Reading the source …'));
    const lines = linesOf(source);
    const isDiff = isCompared(source);
    let most = 0;
    for (const line of lines) most = Math.max(most, Math.abs(quantityOf(line, isDiff) ?? 0));
    const list = html('div', { class: 'gs-source-lines', role: 'list' });
    let own: HTMLElement | undefined;
    for (const line of lines) {
      const row = this.#row(line, source, isDiff, most);
      if (line.isOwn) own = row;
      list.append(row);
    }
    this.root.replaceChildren(this.#title(source), ...this.#reason(source), list);
    // Another group is another place of the file; a redraw of the same stays where the reader is.
    const shown = `${source.group} ${source.path ?? ''}`;
    if (shown !== this.#shown) own?.scrollIntoView({ block: 'center' });
    this.#shown = shown;
  }

  #title(source: Source): HTMLElement {
    const title = html('header', { class: 'gs-title' }, html('h2', {}, nameOf(source.name)));
    if (!source.file) return title;
    const place = source.line ? `${source.file}:${source.line}` : source.file;
    const copy = html('button', { type: 'button', class: 'gs-button' }, 'Copy place');
    copy.addEventListener('click', () => this.context.emit({ type: 'copy', text: place }));
    title.append(html('span', { class: 'gs-grow gs-source-place' }, nameOf(visible(place)), copy));
    title.append(...this.#editor(source.file, source.line ?? 1));
    if (source.lines.length > 0 && source.num_lines > source.lines.length)
      title.append(
        html(
          'span',
          { class: 'gs-quiet' },
          `lines ${source.first_line} to ${source.first_line + source.lines.length - 1} of ${formatPlural(source.num_lines, 'line')}`,
        ),
      );
    return title;
  }

  /** The link to the reader's editor, if there is a template, and the field that changes the template. */
  #editor(file: string, line: number): HTMLElement[] {
    const template = keptTemplate();
    const address = editorLink(template, file, line);
    const input = html('input', {
      'aria-label': 'Address of your editor',
      placeholder: 'vscode://file/{path}:{line}',
      spellcheck: 'false',
    });
    input.value = template;
    input.addEventListener('change', () => {
      keepTemplate(input.value);
      this.redraw();
    });
    const field = html('details', {}, html('summary', {}, 'editor'), input);
    if (!address) return [field];
    return [html('a', { class: 'gs-button', href: address }, 'Open in editor'), field];
  }

  /** Why the text is not shown, or may be of another version. */
  #reason(source: Source): HTMLElement[] {
    if (source.state === 'shown') {
      if (!source.is_changed) return [];
      const last = source.notes.at(-1)?.text ?? 'the file was changed since';
      return [
        html('p', { class: 'gs-source-reason is-changed', role: 'note' }, `△ ${visible(last)}.`),
      ];
    }
    const more = source.values.length > 0 ? ' These lines of the file have values:' : '';
    const reason = visible(source.reason ?? source.state);
    return [
      html('p', { class: 'gs-quiet gs-source-reason' }, 'No text: ', ...prose(reason), `.${more}`),
    ];
  }

  #row(line: SourceLine, source: Source, isDiff: boolean, most: number): HTMLElement {
    const { unit } = source;
    const quantity = quantityOf(line, isDiff);
    const bar = html('span', { class: 'gs-source-bar' });
    if (quantity !== undefined && most > 0) {
      bar.style.width = `${Math.max(2, (Math.abs(quantity) / most) * 100)}%`;
      bar.style.background = isDiff
        ? differenceColour(this.palette, quantity, most)
        : (this.palette.exclusive[3] ?? this.palette.ink2);
    }
    const number =
      line.values.length === 0
        ? ''
        : isDiff
          ? formatDelta(quantity, unit)
          : formatValue(quantity, unit);
    const value = html(
      'span',
      { class: 'gs-source-value' },
      html('span', { class: 'gs-source-track' }, bar),
      html('span', { class: 'gs-number' }, number),
    );
    const text =
      line.text === undefined
        ? html('span', { class: 'gs-source-text' }, line.values.map(({ name }) => name).join(', '))
        : html('code', { class: 'gs-source-text' }, visible(line.text));
    const row = html(
      'div',
      {
        class: `gs-source-line${line.isOwn ? ' is-own' : ''}`,
        role: 'listitem',
        'aria-current': line.isOwn ? 'location' : undefined,
      },
      value,
      html('span', { class: 'gs-source-number' }, String(line.number)),
      text,
    );
    const [first] = line.values;
    if (first)
      this.marks.add(value, {
        key: `line-${line.number}`,
        tip: () => tipOf(line, source, isDiff),
        pick: () => this.context.emit({ type: 'select-group', group: first.group }),
      });
    return row;
  }
}

/** Quantity of the bar of a line: the value, or B − A. */
function quantityOf(line: SourceLine, isDiff: boolean): number | undefined {
  if (!isDiff) return line.total;
  if (line.a === undefined && line.b === undefined) return undefined;
  return (line.b ?? 0) - (line.a ?? 0);
}

function tipOf(line: SourceLine, source: Source, isDiff: boolean): TooltipContent {
  const { unit } = source;
  const rows = line.values.slice(0, 12).flatMap((value): [string, string][] =>
    isDiff
      ? [
          [`${value.name}, A`, formatValue(value.a, unit)],
          [`${value.name}, B`, formatValue(value.b, unit)],
        ]
      : [
          [
            value.name,
            `${formatValue(value.value, unit)}${typeof value.share === 'number' ? `, ${formatShare(value.share)}` : ''}`,
          ],
        ],
  );
  return {
    title: `line ${line.number}`,
    rows,
    notes: [
      ...(line.values.length > 12 ? [`+ ${line.values.length - 12} more definitions`] : []),
      'Enter: select the group.',
    ],
  };
}
