/** The dialogs that few readers open: their code and styles are not part of the first load. */

import { Help } from './help.tsx';
import { Palette } from './palette.tsx';
import { overlay } from './state.ts';
import { Stores } from './stores.tsx';
import { Tour } from './tour.tsx';
import { UnitDialog } from './unit-dialog.tsx';
import './style/dialogs.css';

export { LensEditor } from './lens-editor.tsx';

export function Dialogs({ isFirst }: { isFirst: boolean }) {
  switch (overlay.value) {
    case 'palette':
      return <Palette />;
    case 'help':
      return <Help />;
    case 'tour':
      return <Tour />;
    case 'unit':
      return <UnitDialog />;
    case 'stores':
      return <Stores isFirst={isFirst} />;
    default:
      return isFirst && overlay.value === 'none' ? <Stores isFirst /> : null;
  }
}
