import { accessSync, constants } from 'node:fs';

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** The Chromium that browser tests drive: CHROMIUM, or one in a usual place; undefined when there is none. */
export function findBrowser(): string | undefined {
  return [process.env['CHROMIUM'], ...places].find((file) => file !== undefined && isExecutable(file));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
