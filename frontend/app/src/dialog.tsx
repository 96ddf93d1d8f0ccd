/** A modal box. */

import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { overlay } from './state.ts';

interface DialogProps {
  readonly label: string;
  readonly name: string;
  readonly children: ComponentChildren;
  readonly onClose?: (() => void) | undefined;
}

export function Dialog({ label, name, children, onClose }: DialogProps) {
  const box = useRef<HTMLDialogElement>(null);
  const close = (): void => {
    overlay.value = 'none';
    onClose?.();
  };
  useEffect(() => {
    const element = box.current;
    const before = document.activeElement;
    element?.showModal();
    return () => {
      element?.close();
      // The dialog may already be gone from the page; the focus then fell to the body.
      if (before instanceof HTMLElement || before instanceof SVGElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={box}
      class={`dialog dialog-${name}`}
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onClick={(event) => {
        if (event.target === box.current) close();
      }}
    >
      {children}
    </dialog>
  );
}
