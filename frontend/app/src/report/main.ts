/** Starts a report: reads what it holds, and draws its pictures. */

import { CONTENT, revived, type ReportContent } from './content.ts';
import { Shell } from './shell.ts';
import '../style/base.css';
import '../style/panels.css';
import '../style/frame.css';
import '../style/floating.css';
import '../style/views.css';
import './report.css';

const text = document.getElementById(CONTENT)?.textContent;
const head = document.getElementById('report-head');
const pictures = document.getElementById('report-pictures');
if (text && head && pictures)
  new Shell(JSON.parse(text, revived) as ReportContent).start(head, pictures);
