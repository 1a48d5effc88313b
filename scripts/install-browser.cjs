/**
 * Chromium for the tests of pages, from Debian's packages where this machine has them and we may install: `npm run browser:install`. A machine
 * without it skips those tests.
 */
'use strict';
const { spawnSync } = require('node:child_process');
const { existsSync } = require('node:fs');

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'];

function browserProgram() {
  return [process.env.CHROMIUM ?? '', ...PLACES].find((place) => place !== '' && existsSync(place));
}

module.exports = { browserProgram };

if (require.main === module) {
  if (browserProgram() === undefined && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    spawnSync('apt-get', ['update', '-qq'], { stdio: 'inherit' });
    spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
  }
  console.log(`browser: ${browserProgram() ?? 'none; install Chromium, or set CHROMIUM to its program'}`);
}
