/** All views of the registry, in the order of the palette. One line each. */

import { boxes } from '../boxes/definition.ts';
import { delays } from '../delays/definition.ts';
import { distribution } from '../histogram/definition.ts';
import { locations } from '../locations/definition.ts';
import { source } from '../source/definition.ts';
import { scaling } from '../scaling/definition.ts';
import { noise } from '../noise/definition.ts';
import { parallelism } from '../parallelism/definition.ts';
import { projection } from '../projection/definition.ts';
import { similarity } from '../similarity/definition.ts';
import { scatter } from '../scatter/definition.ts';
import { explain } from '../explain/definition.ts';
import { functions } from '../functions/definition.ts';
import { dag } from '../dag/definition.ts';
import { contexts } from '../contexts/definition.ts';
import { grainGraph } from '../grain-graph/definition.ts';
import { groups } from '../groups/definition.ts';
import { gate } from '../gate/definition.ts';
import { history } from '../history/definition.ts';
import { structure } from '../structure/definition.ts';
import { timestrip } from '../timestrip/definition.ts';
import { timeline } from '../timeline/definition.ts';
import { utilisation } from '../utilisation/definition.ts';
import { whatIf } from '../what-if/definition.ts';
import type { ViewDefinition } from './definition.ts';

/** A definition whose parameters only its own module knows. */
export type RegisteredView = ViewDefinition<Record<string, unknown>>;

export const VIEWS: readonly RegisteredView[] = [
  groups,
  grainGraph,
  dag,
  contexts,
  distribution,
  boxes,
  locations,
  source,
  functions,
  scatter,
  scaling,
  whatIf,
  utilisation,
  timestrip,
  timeline,
  parallelism,
  explain,
  delays,
  history,
  gate,
  noise,
  structure,
  similarity,
  projection,
] as unknown as readonly RegisteredView[];

export function viewOf(id: string): RegisteredView | undefined {
  return VIEWS.find((view) => view.id === id);
}
