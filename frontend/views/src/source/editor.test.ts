import { expect, test } from 'vitest';
import { editorLink } from './editor.ts';

const VSCODE = 'vscode://file/{path}:{line}';

test.each([
  [VSCODE, '/home/a/sort.c', 7, 'vscode://file/home/a/sort.c:7'],
  ['idea://open?file={path}&line={line}', '/a/b.c', 3, 'idea://open?file=/a/b.c&line=3'],
  [VSCODE, '/a/x y#z?q=1&r.c', 1, 'vscode://file/a/x%20y%23z%3Fq%3D1%26r.c:1'],
  [VSCODE, '/a/{line}.c', 5, 'vscode://file/a/%7Bline%7D.c:5'],
  [VSCODE, '/a/"><img src=x>.c', 5, 'vscode://file/a/%22%3E%3Cimg%20src%3Dx%3E.c:5'],
  [VSCODE, '/a/../../etc/passwd', 1, undefined],
  [VSCODE, '/a/\ud800.c', 1, undefined],
  ['', '/a/b.c', 1, undefined],
  ['no scheme {path}', '/a/b.c', 1, undefined],
  ['vscode://file/', '/a/b.c', 1, undefined],
  ['javascript:alert("{path}")', '/a/b.c', 1, undefined],
  ['JavaScript:alert("{path}")', '/a/b.c', 1, undefined],
  ['data:text/html,{path}', '/a/b.c', 1, undefined],
])('the template %j and the path %j, line %i', (template, path, line, found) => {
  expect(editorLink(template, path, line)).toBe(found);
});
