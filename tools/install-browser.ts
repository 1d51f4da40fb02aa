import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { findBrowser } from './find-browser.js';

/**
 * Makes sure that there is a Chromium for the browser tests: installs it on Debian when run as root, else says what is
 * missing. False only under CI, where no test may be skipped for lack of it.
 */
export function installBrowser(): boolean {
  if (findBrowser() !== undefined) return true;
  if (existsSync('/usr/bin/apt-get') && process.getuid?.() === 0) {
    console.log('Installing chromium for the browser tests.');
    const apt = (...args: readonly string[]) =>
      spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
    apt('update', '-q');
    apt('install', '-y', '-q', '--no-install-recommends', 'chromium', 'fonts-dejavu-core');
    if (findBrowser() !== undefined) return true;
  }
  console.log('No Chromium was found: browser tests are skipped. Install it (Debian: apt-get install chromium) or set CHROMIUM.');
  return process.env['CI'] !== 'true';
}
