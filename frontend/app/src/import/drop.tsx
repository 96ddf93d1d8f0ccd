/** The veil while files are dragged over the page, and the fields behind the buttons. */

import { useEffect, useRef } from 'preact/hooks';
import { signal } from '@preact/signals';
import { page, say } from '../state.ts';
import { storeInfo } from '../data.ts';
import { Prose } from '../states.tsx';
import { isBusy, openImport, policy } from './phase.ts';
import { filesOfDrop, filesOfField, type Found } from './walk.ts';

const isDragged = signal(false);

/** Hands files to the import, whose code is loaded with the first of them. */
async function pick(found: Promise<Found> | Found): Promise<void> {
  openImport();
  try {
    const session = await import('./session.ts');
    await session.pick(found);
  } catch (error) {
    say(`The files were not taken: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Lets the user choose files, or a folder with all that is in it. */
export function choose(what: 'files' | 'folder'): void {
  const field = document.createElement('input');
  field.type = 'file';
  field.multiple = true;
  if (what === 'folder') field.webkitdirectory = true;
  field.addEventListener('change', () => {
    if (field.files && field.files.length > 0) void pick(filesOfField(field.files));
  });
  field.click();
}

function hasFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes('Files') ?? false;
}

function onDragOver(event: DragEvent): void {
  if (!hasFiles(event) || !event.dataTransfer) return;
  event.preventDefault();
  const isOpen = policy.peek().is_allowed && !isBusy.peek();
  event.dataTransfer.dropEffect = isOpen ? 'copy' : 'none';
  isDragged.value = true;
}

function onDragLeave(event: DragEvent): void {
  // Only leaving the window has nowhere to go to.
  if (event.relatedTarget === null) isDragged.value = false;
}

function onDrop(event: DragEvent): void {
  if (!hasFiles(event) || !event.dataTransfer) return;
  event.preventDefault();
  isDragged.value = false;
  if (!policy.peek().is_allowed) return;
  void pick(filesOfDrop(event.dataTransfer, policy.peek().limits.files));
}

export function DropVeil() {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const end = (): void => void (isDragged.value = false);
    window.addEventListener('dragenter', onDragOver);
    window.addEventListener('dragover', onDragOver);
    window.addEventListener('dragleave', onDragLeave);
    window.addEventListener('drop', onDrop);
    window.addEventListener('dragend', end);
    return () => {
      window.removeEventListener('dragenter', onDragOver);
      window.removeEventListener('dragover', onDragOver);
      window.removeEventListener('dragleave', onDragLeave);
      window.removeEventListener('drop', onDrop);
      window.removeEventListener('dragend', end);
    };
  }, []);
  const isShown = isDragged.value;
  useEffect(() => {
    // Above an open dialog, which is in the top layer.
    if (isShown) box.current?.showPopover();
  }, [isShown]);
  if (!isShown) return null;
  const { is_allowed: isAllowed, reason } = policy.value;
  const store = page.value.store || storeInfo.answer.value.data?.name;
  return (
    <div class={isAllowed ? 'drop-veil' : 'drop-veil is-closed'} popover="manual" ref={box}>
      <div class="drop-words">
        {!isAllowed ? (
          <p>
            <strong>Files cannot be added here</strong>
            <span>{reason && <Prose text={reason} />}</span>
          </p>
        ) : isBusy.value ? (
          <p>
            <strong>An import is under way</strong>
            <span>Drop more when it has ended.</span>
          </p>
        ) : (
          <p>
            <strong>Drop to add to {store}</strong>
            <span>Files and folders; formats are recognised by content.</span>
          </p>
        )}
      </div>
    </div>
  );
}
