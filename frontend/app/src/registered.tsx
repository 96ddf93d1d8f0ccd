/** Shows a view of the registry: asks its question, loads its code, draws its states and controls. */

import {
  computed,
  type ReadonlySignal,
  signal,
  useComputed,
  useSignal,
  useSignalEffect,
} from '@preact/signals';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type {
  Action,
  EmptyState,
  RegisteredView,
  Request,
  Setting,
  Shown,
  ViewModule,
} from '@grainsheaf/views';
import { COMMANDS, type CommandId } from '@grainsheaf/views/logic/commands.ts';
import { formatPlural } from '@grainsheaf/views/logic/format.ts';
import { clauseValue, hasClause, withClause, without } from '@grainsheaf/views/logic/lens.ts';
import {
  decodeSettings,
  encodeSettings,
  isUnknown,
  optionsOf,
} from '@grainsheaf/views/registry/settings.ts';
import { viewOf } from '@grainsheaf/views/registry/views.ts';
import { onViewEvent, setLens } from './actions.ts';
import { run } from './commands.ts';
import { addressOf } from './data.ts';
import { type Answer, Resource } from './resource.ts';
import { isShown, show } from './layouts.ts';
import { facts, select, selected } from './selection.ts';
import { navigate, page } from './state.ts';
import { Empty, Failure, FailureOver, Prose, Waiting } from './states.tsx';
import { tables, ViewHost } from './views.tsx';

type Settings = Readonly<Record<string, unknown>>;
type Answers = Record<string, unknown>;

/** Settings of a view as the address has them. */
export function settingsOf(view: RegisteredView): Settings {
  const prefix = `${view.id}.`;
  const texts = Object.fromEntries(
    Object.entries(page.value.views)
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, text]) => [name.slice(prefix.length), text]),
  );
  return decodeSettings(view.settings, texts, facts.value);
}

/** Changes settings of a view; each change is a step that Back undoes. */
export function setSettings(view: RegisteredView, change: Settings, isReplacing = false): void {
  const now = page.peek().views;
  const others = Object.fromEntries(
    Object.entries(now).filter(([name]) => !name.startsWith(`${view.id}.`)),
  );
  const prefix = `${view.id}.`;
  const own: Record<string, string> = {};
  for (const [name, text] of Object.entries(now))
    if (name.startsWith(prefix)) own[name.slice(prefix.length)] = text;
  const values = { ...decodeSettings(view.settings, own), ...change };
  const texts = encodeSettings(view.settings, values);
  for (const [name, text] of Object.entries(texts)) others[`${view.id}.${name}`] = text;
  navigate({ views: others }, isReplacing);
}

/** Shows another view with settings, in one step that Back undoes. */
function showWith(id: string, values: Settings): void {
  const view = viewOf(id);
  const wasShown = isShown(id);
  if (!wasShown) show(id);
  // Views that the shell draws itself have no settings.
  if (view) setSettings(view, values, !wasShown);
}

/** Carries out what a state of a view asks for. */
function act(view: RegisteredView, action: Action | undefined): void {
  if (!action) return;
  if ('command' in action) {
    const known = COMMANDS.find((spec) => spec.id === action.command);
    if (known) run(known.id as CommandId);
  } else if ('select' in action) select(action.select);
  else if ('event' in action) onViewEvent(action.event);
  else setSettings(view, action.set);
}

function EmptyOf({ view, state }: { view: RegisteredView; state: EmptyState }) {
  return (
    <Empty
      title={state.title}
      {...(state.text === undefined ? {} : { text: state.text })}
      steps={(state.steps ?? []).map((step) => ({
        label: step.label,
        run: () => act(view, step.action),
      }))}
    />
  );
}

/** Resources of a view's question, by name, asked anew if the question changes. */
function useAnswers(view: RegisteredView, settings: ReadonlySignal<Settings>) {
  // A new map for each new resource, so that a view that was drawn before it existed is drawn again.
  const resources = useSignal<ReadonlyMap<string, Resource<unknown>>>(new Map());
  const question = useComputed(() => view.query(selected.value, settings.value as never));
  useSignalEffect(() => {
    const asked = question.value;
    if ('empty' in asked) {
      for (const resource of resources.peek().values()) resource.clear();
      return;
    }
    for (const [name, request] of Object.entries(asked.requests)) {
      const known = resources.peek().get(name);
      const resource = known ?? new Resource<unknown>();
      if (!known) resources.value = new Map(resources.peek()).set(name, resource);
      if (request) {
        const format = request.format === 'arrow' ? { format: 'arrow' } : {};
        resource.load(addressOf(request.route, { ...request.query, ...format }), request.what);
      } else resource.clear();
    }
  });
  return { question, resources };
}

/** Answers of the parts of a view, by address: parts that are no longer asked for are forgotten. */
class Parts {
  readonly held = signal<ReadonlyMap<string, Resource<unknown>>>(new Map());
  #addresses: ReadonlyMap<string, string> = new Map();

  /** Asks for what is not here yet. */
  load(requests: Readonly<Record<string, Request>>): void {
    const before = this.held.peek();
    const now = new Map<string, Resource<unknown>>();
    const addresses = new Map<string, string>();
    for (const [name, request] of Object.entries(requests)) {
      const format = request.format === 'arrow' ? { format: 'arrow' } : {};
      const address = addressOf(request.route, { ...request.query, ...format });
      addresses.set(name, address);
      const resource = before.get(address) ?? new Resource<unknown>();
      now.set(address, resource);
      resource.load(address, request.what);
    }
    for (const [address, resource] of before) if (!now.has(address)) resource.clear();
    this.#addresses = addresses;
    const isSame = now.size === before.size && [...now.keys()].every((key) => before.has(key));
    if (!isSame) this.held.value = now;
  }

  /** Content of the answers that are here, by name. */
  contents(): Record<string, unknown> {
    const found: Record<string, unknown> = {};
    for (const [name, address] of this.#addresses) {
      const data = this.held.value.get(address)?.answer.value.data;
      if (data !== undefined) found[name] = data;
    }
    return found;
  }

  failed(): Resource<unknown> | undefined {
    return [...this.held.value.values()].find((resource) => resource.answer.value.error);
  }

  slow(): Answer<unknown> | undefined {
    return [...this.held.value.values()]
      .map((resource) => resource.answer.value)
      .find(({ wait }) => wait === 'slow' || wait === 'very');
  }

  cancel(): void {
    for (const resource of this.held.peek().values()) resource.cancel();
  }
}

/** An object of the same identity as before if its fields have the same values. */
function useSame<T extends Readonly<Record<string, unknown>>>(value: T): T {
  const held = useRef(value);
  const before = held.current;
  const isSame =
    Object.keys(before).length === Object.keys(value).length &&
    Object.keys(value).every((key) => before[key] === value[key]);
  if (!isSame) held.current = value;
  return held.current;
}

function Control({
  setting,
  value,
  given = '',
  set,
}: {
  setting: Setting;
  value: unknown;
  /** Text of the address, which may be unknown. */
  given?: string | undefined;
  set(value: unknown): void;
}) {
  if (setting.label === undefined) return null;
  if (setting.kind === 'flag')
    return (
      <button
        type="button"
        class="tool"
        aria-pressed={value === true}
        title={setting.hint}
        onClick={() => set(value !== true)}
      >
        {setting.label}
      </button>
    );
  if (setting.kind === 'choice' && setting.look === 'buttons')
    return (
      <div class="segments" role="group" aria-label={setting.label}>
        {setting.options.map(([option, label]) => (
          <button
            type="button"
            class="tool"
            key={option}
            aria-pressed={value === option}
            onClick={() => set(option)}
          >
            {label}
          </button>
        ))}
      </div>
    );
  const options = optionsOf(setting, facts.value);
  return (
    <label class="field" title={setting.hint}>
      {setting.label}
      {options ? (
        <select value={String(value)} onChange={(event) => set(event.currentTarget.value)}>
          {options.map(([option, label]) => (
            <option key={option} value={option}>
              {label}
            </option>
          ))}
        </select>
      ) : setting.kind === 'number' ? (
        <input
          type="number"
          min={setting.min}
          max={setting.max}
          step={setting.step}
          value={Number(value)}
          onChange={(event) => {
            const given = Number(event.currentTarget.value);
            if (given >= setting.min && given <= setting.max) set(given);
          }}
        />
      ) : (
        <input
          value={String(value)}
          placeholder={setting.kind === 'text' ? setting.placeholder : undefined}
          spellcheck={false}
          onChange={(event) => set(event.currentTarget.value)}
        />
      )}
      {isUnknown(setting, given, facts.value) && (
        <span class="warn" role="status">
          no run has {given}
        </span>
      )}
    </label>
  );
}

/** Number of bins: a clause of the lens, since it concerns every histogram of the page. Without it the view chooses. */
function Bins() {
  const { lens } = page.value;
  return (
    <label class="field">
      bins
      <input
        type="number"
        min="1"
        max="200"
        class="bin-count"
        placeholder="chosen"
        value={hasClause(lens, 'bins') ? clauseValue(lens, 'bins') : ''}
        onChange={(event) => {
          const bins = Math.round(Number(event.currentTarget.value));
          if (bins === 0) setLens(without(lens, 'bins'));
          else if (bins <= 200) setLens(withClause(lens, `bins ${bins}`));
        }}
      />
    </label>
  );
}

/** Controls of a view's settings. */
export function ViewControls({ view }: { view: RegisteredView }) {
  const values = settingsOf(view);
  return (
    <>
      <span class="grow" />
      {Object.entries(view.settings).map(([name, setting]) => (
        <Control
          key={name}
          setting={setting}
          value={values[name]}
          given={page.value.views[`${view.id}.${name}`]}
          set={(value) => setSettings(view, { [name]: value })}
        />
      ))}
      {view.clauses?.includes('bins') && <Bins />}
    </>
  );
}

const modules = new Map<string, Promise<ViewModule<Answers, Settings>>>();

function useModule(view: RegisteredView) {
  const [loaded, setLoaded] = useState<ViewModule<Answers, Settings> | Error>();
  useEffect(() => {
    let isCurrent = true;
    const promise = modules.get(view.id) ?? view.load();
    modules.set(view.id, promise as Promise<ViewModule<Answers, Settings>>);
    promise.then(
      (module) => isCurrent && setLoaded(module as ViewModule<Answers, Settings>),
      (error: unknown) => {
        // The next attempt asks again.
        modules.delete(view.id);
        if (isCurrent) setLoaded(error instanceof Error ? error : new Error(String(error)));
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [view]);
  return loaded;
}

/** What one must know of the answers, closed at first. */
function Notes({ texts }: { texts: readonly string[] }) {
  if (texts.length === 0) return null;
  return (
    <details class="pane-notes">
      <summary>{formatPlural(texts.length, 'note')}</summary>
      <ul class="plain">
        {texts.map((text) => (
          <li key={text}>
            <Prose text={text} />
          </li>
        ))}
      </ul>
    </details>
  );
}

export function Registered({ view }: { view: RegisteredView }) {
  const settings = useMemo(() => computed(() => settingsOf(view)), [view]);
  const { question, resources: made } = useAnswers(view, settings);
  const resources = made.value;
  const module = useModule(view);
  const asked = question.value;
  const held = 'empty' in asked ? [] : Object.keys(asked.requests);
  const answers = held.map((name) => resources.get(name)?.answer.value);
  const contents = answers.map((answer) => answer?.data);
  const shown: Shown<Settings> = useMemo(
    () => ({ selection: selected.value, settings: settings.value, facts: facts.value }),
    [selected.value, settings.value, facts.value],
  );
  const parts = useMemo(() => new Parts(), [view]);
  const isWhole =
    !('empty' in asked) &&
    held.every(
      (name, index) => asked.requests[name] === undefined || contents[index] !== undefined,
    );
  const data = useSame({
    ...Object.fromEntries(held.map((name, index) => [name, contents[index]])),
    ...parts.contents(),
  });
  const loaded = module instanceof Error ? undefined : module;
  useEffect(() => {
    if (loaded?.parts) parts.load(isWhole ? loaded.parts(data, shown) : {});
  }, [parts, loaded, isWhole, data, shown]);
  useEffect(() => () => parts.load({}), [parts]);
  useEffect(() => {
    if (isWhole && loaded) tables.set(view.id, () => loaded.table(data, shown));
    return () => void tables.delete(view.id);
  }, [view, loaded, isWhole, data, shown]);
  if ('empty' in asked) return <EmptyOf view={view} state={asked.empty} />;
  const failed = held.find((_, index) => answers[index]?.error);
  const failure = failed === undefined ? undefined : resources.get(failed);
  const slow = answers.find((answer) => answer?.wait === 'slow' || answer?.wait === 'very');
  const shownWait = slow ?? parts.slow();
  const cancel = (): void => {
    resources.forEach((resource) => resource.cancel());
    parts.cancel();
  };
  const waiting = shownWait && <Waiting answer={shownWait} cancel={cancel} />;
  const partly = parts.failed();
  const problem = failure?.answer.value.error;
  const refused = problem && view.refused?.(problem.body, selected.value);
  if (refused) return <EmptyOf view={view} state={refused} />;
  // Several requests may have failed for one reason.
  const retry = (): void =>
    held.forEach((_, index) => {
      if (answers[index]?.error) resources.get(held[index] ?? '')?.retry();
    });
  const empty = isWhole ? loaded?.empty?.(data, shown) : undefined;
  if (problem && (!isWhole || empty)) return <Failure problem={problem} retry={retry} />;
  if (module instanceof Error)
    return (
      <Empty
        title="The code of this view did not arrive"
        text={module.message}
        steps={[{ label: 'Reload', run: () => location.reload() }]}
      />
    );
  if (!isWhole || !module)
    return (
      <>
        {slow && <div class="skeleton skeleton-rows" aria-hidden="true" />}
        {waiting}
      </>
    );
  return (
    <>
      {empty ? (
        <EmptyOf view={view} state={empty} />
      ) : (
        <ViewHost
          name={view.id}
          make={() => module.create()}
          data={data}
          selection={shown}
          isDim={slow !== undefined || problem !== undefined}
          onEvent={(event) => {
            if (event.type === 'set') setSettings(view, event.values, event.isReplacing);
            if (event.type === 'show') showWith(event.view, event.values);
            return event.type === 'set' || event.type === 'show';
          }}
        />
      )}
      {!empty && <Notes texts={module.notes?.(data, shown) ?? []} />}
      {problem && <FailureOver problem={problem} retry={retry} />}
      {waiting}
      {!problem && partly?.answer.value.error && (
        <Failure problem={partly.answer.value.error} retry={() => partly.retry()} />
      )}
    </>
  );
}
