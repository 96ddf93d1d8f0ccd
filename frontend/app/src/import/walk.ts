/** From what was dropped or chosen to files with relative paths. */

import { relativePath } from '@grainsheaf/views/logic/relative-path.ts';

export interface FoundFile {
  readonly path: string;
  readonly bytes: number;
  readonly file: File;
}

export interface Found {
  readonly files: FoundFile[];
  /** Paths that the browser could not read. */
  readonly unreadable: string[];
  /** Whether there are more files than were looked at. */
  readonly isCut: boolean;
}

/** Files of a file field; those of a chosen folder have paths below it. */
export function filesOfField(list: FileList): Found {
  const files = [...list].map((file) => found(file.webkitRelativePath || file.name, file));
  return { files, unreadable: [], isCut: false };
}

/**
 * Files of a drop, folders walked without recursion until there are more than `most`. What was
 * dropped is only there until the event has been handled, so that this is called in it.
 */
export async function filesOfDrop(transfer: DataTransfer, most: number): Promise<Found> {
  const entries = [...transfer.items]
    .filter((item) => item.kind === 'file')
    .map((item) => item.webkitGetAsEntry());
  const loose = [...transfer.files];
  const waiting = entries.filter((entry) => entry !== null);
  // A drop that a program made has files but no entries.
  if (waiting.length === 0)
    return { files: loose.map((file) => found(file.name, file)), unreadable: [], isCut: false };
  const files: FoundFile[] = [];
  const unreadable: string[] = [];
  for (let entry = waiting.shift(); entry; entry = waiting.shift()) {
    if (files.length > most) return { files, unreadable, isCut: true };
    try {
      if (isFile(entry)) files.push(found(entry.fullPath, await fileOf(entry)));
      else if (isFolder(entry)) waiting.push(...(await entriesOf(entry)));
    } catch {
      unreadable.push(relativePath(entry.fullPath));
    }
  }
  return { files, unreadable, isCut: false };
}

function found(path: string, file: File): FoundFile {
  return { path: relativePath(path), bytes: file.size, file };
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

/** A reader hands out a folder's entries in pieces; an empty one is the end. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const piece = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (piece.length === 0) return all;
    all.push(...piece);
  }
}
