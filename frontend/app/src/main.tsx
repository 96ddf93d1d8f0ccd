/** Starts the page. */

import { render } from 'preact';
import { App } from './app.tsx';
import { listenForKeys } from './commands.ts';
import './style.css';

const root = document.getElementById('app');
if (root) render(<App />, root);
listenForKeys();
