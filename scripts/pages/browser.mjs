// The browser: Debian's, one for all pages.
import { chromium } from 'playwright-core';

// It runs as root in CI, where Chromium's sandbox does not work, and opens our own pages alone. With a limit that is
// always reached it keeps no process in reserve, which it would start anew whenever another window loads a page.
export const flags = ['--renderer-process-limit=1',
  '--no-sandbox', '--disable-gpu', '--disable-background-networking',
  '--disable-sync', '--disable-component-update'];

export function launch() {
  return chromium.launch({ executablePath: process.env.CHROMIUM, args: flags });
}
