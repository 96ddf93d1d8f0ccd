/** Order of the nodes in the columns of the Sankey, as the address has it. */

import type { Order } from '@grainsheaf/views/sankey/order.ts';
import { navigate, page, say } from './state.ts';

export const ORDERS: readonly (readonly [Order, string])[] = [
  ['crossings', 'fewest crossings'],
  ['inclusive', 'largest first'],
  ['exclusive', 'exclusive first'],
  ['name', 'by name'],
];

export function orderOf(text: string): Order {
  return ORDERS.find(([order]) => order === text)?.[0] ?? 'crossings';
}

export function setOrder(order: Order): void {
  // Places of moved nodes belong to the order in which they were moved.
  navigate({ order: order === 'crossings' ? '' : order, moved: [] });
}

/** The next order of the columns, for the palette and for windows without room for the list. */
export function stepOrder(): void {
  const at = ORDERS.findIndex(([order]) => order === orderOf(page.peek().order));
  const [order, label] = ORDERS[(at + 1) % ORDERS.length] ?? ['crossings', ''];
  setOrder(order);
  say(`Order of the nodes in each column: ${label}`);
}
