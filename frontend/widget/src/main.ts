/** A widget as anywidget loads it: one core per model, one frame per cell that shows it. */

import './widget.css';
import '../../app/src/style/base.css';
import '../../app/src/style/panels.css';
import '../../app/src/style/states.css';
import '../../app/src/style/floating.css';
import '../../app/src/style/views.css';
import { Core } from './core.ts';
import { Frame } from './frame.ts';
import { type Model, textOf } from './model.ts';

/** Cores by the id that Python gave: notebooks give each call another object for the same model. */
const cores = new Map<string, Core>();

function coreOf(model: Model): Core {
  const id = textOf(model.get('_id'));
  const core = cores.get(id) ?? new Core(model);
  cores.set(id, core);
  return core;
}

function initialize({ model }: { model: Model }): () => void {
  const core = coreOf(model);
  return () => {
    core.destroy();
    cores.delete(textOf(model.get('_id')));
  };
}

function render({ model, el }: { model: Model; el: HTMLElement }): () => void {
  const frame = new Frame(coreOf(model), el);
  return () => frame.destroy();
}

export default { initialize, render };
export { draw, show } from './page.ts';
