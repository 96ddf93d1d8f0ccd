/** All keys, from the registry. */

import { COMMANDS, type CommandSpec, keyLabel } from '@grainsheaf/views/logic/commands.ts';
import { run } from './commands.ts';
import { Dialog } from './dialog.tsx';
import { isMac, overlay, singleKeys } from './state.ts';

const PLACES = {
  page: '',
  picture: 'in the picture',
  tree: 'in the call tree',
  table: 'in the run table',
} as const;

export function Help() {
  const specs: readonly CommandSpec[] = COMMANDS;
  const groups = [...new Set(specs.map((spec) => spec.group))];
  return (
    <Dialog label="Keys and help" name="help">
      <header class="dialog-head">
        <h2>Keys</h2>
        <label class="field">
          <input
            type="checkbox"
            checked={singleKeys.value === 'on'}
            onChange={() => run('single-keys')}
          />
          single-letter keys
        </label>
        <span class="grow" />
        <button type="button" class="button" onClick={() => (overlay.value = 'tour')}>
          Tour
        </button>
        <button type="button" class="button" onClick={() => (overlay.value = 'none')}>
          Close
        </button>
      </header>
      <div class="help-groups">
        {groups.map((group) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl class="keys">
              {specs
                .filter((spec) => spec.group === group && spec.keys.length > 0)
                .map((spec) => (
                  <div key={spec.id}>
                    <dt>
                      {spec.keys.map((key) => (
                        <kbd key={key}>{keyLabel(key, isMac)}</kbd>
                      ))}
                    </dt>
                    <dd>
                      {spec.title}
                      {PLACES[spec.scope] && <span class="quiet">, {PLACES[spec.scope]}</span>}
                    </dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
        <section>
          <h3>With the mouse</h3>
          <dl class="keys">
            {[
              ['Click', 'selects a node; again: text guides'],
              ['Double click', 'splits a node; zooms the call tree'],
              ['Right click', 'menu of a node'],
              ['Wheel, drag', 'zooms at the pointer, pans'],
              ['Click a legend', 'shows the nodes of that class'],
              ['Click a guide', 'makes its first run the target'],
            ].map(([what, does]) => (
              <div key={what}>
                <dt>
                  <kbd>{what}</kbd>
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </section>
      </div>
    </Dialog>
  );
}
