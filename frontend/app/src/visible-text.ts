/** Shows every text of the page with what cannot be seen written out. */

import { options, type ComponentChildren, type VNode } from 'preact';
import { visible } from '@grainsheaf/views/logic/visible.ts';

/** Attributes that people read or hear. */
const READ = ['aria-label', 'title', 'placeholder'] as const;

function shown(children: ComponentChildren): ComponentChildren {
  if (typeof children === 'string') return visible(children);
  return Array.isArray(children) ? (children.map(shown) as ComponentChildren) : children;
}

/** Names come from traces: they pass through here on their way into elements, once for the page. */
export function showInvisible(): void {
  const before = options.vnode;
  options.vnode = (vnode: VNode) => {
    if (typeof vnode.type === 'string') {
      const props = vnode.props as Record<string, unknown>;
      props['children'] = shown(props['children'] as ComponentChildren);
      for (const name of READ) {
        const text = props[name];
        if (typeof text === 'string') props[name] = visible(text);
      }
    }
    before?.(vnode);
  };
}
