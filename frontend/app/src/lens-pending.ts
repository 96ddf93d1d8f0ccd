/** Text that the editor of the lens starts with, when not the lens. */
export const pending = { text: '' };
