// The browser: Debian's, one for all pages.
import { chromium } from 'playwright-core';

// It runs as root in CI, where Chromium's sandbox does not work, and opens our own pages alone.
export const flags = ['--no-sandbox', '--disable-gpu', '--disable-background-networking',
  '--disable-sync', '--disable-component-update'];

export function launch() {
  return chromium.launch({ executablePath: process.env.CHROMIUM, args: flags });
}
