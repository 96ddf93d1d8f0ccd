/** All views of the registry, in the order of the palette. One line each. */

import { distribution } from '../histogram/definition.ts';
import { scaling } from '../scaling/definition.ts';
import { projection } from '../projection/definition.ts';
import { similarity } from '../similarity/definition.ts';
import type { ViewDefinition } from './definition.ts';

/** A definition whose parameters only its own module knows. */
export type RegisteredView = ViewDefinition<Record<string, unknown>>;

export const VIEWS: readonly RegisteredView[] = [
  distribution,
  scaling,
  similarity,
  projection,
] as unknown as readonly RegisteredView[];

export function viewOf(id: string): RegisteredView | undefined {
  return VIEWS.find((view) => view.id === id);
}
