/** Entry of the worker; the bundler finds it by a path relative to the page's code. */

import '@grainsheaf/views/data/worker.ts';
