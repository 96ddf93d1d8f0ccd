/** Decodes Arrow streams away from the page's own thread; buffers move, they are not copied. */

import { decode } from './decode.ts';

interface Port {
  onmessage: ((event: MessageEvent<{ id: number; bytes: ArrayBuffer }>) => void) | null;
  postMessage(message: unknown, transfer?: Transferable[]): void;
}

const port = self as unknown as Port;

port.onmessage = ({ data: { id, bytes } }) => {
  try {
    const { rest, values } = decode(bytes);
    port.postMessage({ id, rest, values }, [values.buffer as ArrayBuffer]);
  } catch (error) {
    port.postMessage({ id, error: error instanceof Error ? error.message : String(error) });
  }
};
