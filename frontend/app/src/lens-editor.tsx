/** The lens as text, checked while it is typed. Its code is loaded when it is first shown. */

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { LensAnswer, LensFault } from '@grainsheaf/views';
import { CHOICES, CLAUSES } from '@grainsheaf/views/logic/lens.ts';
import { groupNames, runTable } from './data.ts';
import { pending } from './lens-pending.ts';
import { ask } from './resource.ts';
import { API } from './service.ts';
import { isLensEdited, navigate, page, say } from './state.ts';

/** Clauses and words that could stand at the end of the text. */
function completions(text: string): string[] {
  const last = text.slice(text.lastIndexOf('|') + 1).trimStart();
  const [keyword = '', ...rest] = last.split(/\s+/);
  const data = runTable.answer.peek().data;
  if (rest.length === 0)
    return CLAUSES.filter((help) => help.keyword.startsWith(keyword)).map((help) => help.pattern);
  const choices =
    keyword === 'metric'
      ? data?.metrics.map((metric) => metric.name)
      : keyword === 'by' || keyword === 'where'
        ? data?.parameters.map((parameter) => parameter.name)
        : ['split', 'focus', 'hide'].includes(keyword)
          ? [...groupNames.peek().values()].map((name) => `"${name}"`)
          : CHOICES[keyword];
  const typed = rest.join(' ');
  return (choices ?? [])
    .filter((choice) => choice.startsWith(typed) && choice !== typed)
    .map((choice) => `${keyword} ${choice}`)
    .slice(0, 8);
}

export function Editor() {
  const [text, setText] = useState(() => {
    const start = pending.text || page.peek().lens;
    pending.text = '';
    return start;
  });
  const [fault, setFault] = useState<LensFault | undefined>(undefined);
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => input.current?.focus(), []);
  useEffect(() => {
    const abort = new AbortController();
    const timer = setTimeout(() => {
      ask<LensAnswer>(`${API}/lens?${new URLSearchParams({ text }).toString()}`, abort.signal)
        .then((answer) => setFault(answer.fault ?? undefined))
        .catch(() => setFault(undefined));
    }, 120);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [text]);
  const close = (): void => void (isLensEdited.value = false);
  const apply = async (): Promise<void> => {
    try {
      const answer = await ask<LensAnswer>(
        `${API}/lens?${new URLSearchParams({ text }).toString()}`,
      );
      if (answer.fault) {
        setFault(answer.fault);
        input.current?.setSelectionRange(answer.fault.position - 1, answer.fault.position);
        return;
      }
      navigate({ lens: answer.text });
      close();
    } catch (error) {
      say(error instanceof Error ? error.message : String(error));
    }
  };
  const proposals = completions(text);
  const complete = (proposal: string): void => {
    const start = text.slice(0, text.lastIndexOf('|') + 1);
    setText(`${start}${start ? ' ' : ''}${proposal}`);
    input.current?.focus();
  };
  return (
    <form
      class="lens-editor"
      onSubmit={(event) => {
        event.preventDefault();
        void apply();
      }}
    >
      <div class="lens-field">
        <input
          ref={input}
          value={text}
          aria-label="Lens as text"
          aria-invalid={fault !== undefined}
          aria-describedby="lens-fault"
          spellcheck={false}
          autocomplete="off"
          placeholder="where threads >= 4 | by threads | level module"
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') close();
            if (
              event.key === 'Tab' &&
              !event.shiftKey &&
              proposals[0] &&
              !fault?.message.includes('too many')
            ) {
              event.preventDefault();
              complete(proposals[0]);
            }
          }}
        />
        <button type="submit" class="button">
          Apply
        </button>
        <button type="button" class="button" onClick={close}>
          Cancel
        </button>
      </div>
      <div class="lens-proposals">
        {fault ? (
          <pre class="lens-fault" id="lens-fault" role="alert">
            {' '.repeat(Math.max(0, fault.position - 1))}^ {fault.message}
          </pre>
        ) : (
          proposals.map((proposal) => (
            <button
              type="button"
              class="proposal"
              key={proposal}
              onClick={() => complete(proposal)}
            >
              {proposal}
            </button>
          ))
        )}
      </div>
    </form>
  );
}
