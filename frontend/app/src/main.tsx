/** Starts the page. */

import { render } from 'preact';
import { App } from './app.tsx';
import { listenForKeys } from './commands.ts';
import { showInvisible } from './visible-text.ts';
import './style/base.css';
import './style/panels.css';
import './style/run.css';
import './style/frame.css';
import './style/states.css';
import './style/floating.css';
import './style/views.css';
import './style/narrow.css';

showInvisible();
const root = document.getElementById('app');
if (root) render(<App />, root);
listenForKeys();
