/** Answers in memory: by address, bounded in bytes, the one used longest ago goes first. */

export interface CacheEntry {
  readonly data: unknown;
  readonly bytes: number;
  /** Revision of the store that it is from; unknown if the service does not state one. */
  readonly revision: string | undefined;
}

export class AnswerCache {
  readonly #entries = new Map<string, CacheEntry>();
  #bytes = 0;

  constructor(readonly limit: number) {}

  get bytes(): number {
    return this.#bytes;
  }

  get(address: string): CacheEntry | undefined {
    const entry = this.#entries.get(address);
    if (entry) {
      // The order of a map is that of insertion.
      this.#entries.delete(address);
      this.#entries.set(address, entry);
    }
    return entry;
  }

  /** Keeps an answer, unless it alone is larger than the bound. */
  put(address: string, entry: CacheEntry): void {
    this.#remove(address);
    if (entry.bytes > this.limit) return;
    this.#entries.set(address, entry);
    this.#bytes += entry.bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.limit) break;
      this.#remove(oldest);
    }
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }

  #remove(address: string): void {
    const entry = this.#entries.get(address);
    if (!entry) return;
    this.#entries.delete(address);
    this.#bytes -= entry.bytes;
  }
}
