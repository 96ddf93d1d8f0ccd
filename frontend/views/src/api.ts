/** Wire types under their own names. */

export type * from './api-types.ts';
