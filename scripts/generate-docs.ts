/** Writes the pages of docs/ that are made from code: `npm run docs`. A test checks that they are current. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { frameworksPage } from './docs/frameworks-page';

const docs = path.join(__dirname, '..', 'docs');
writeFileSync(path.join(docs, 'frameworks.md'), frameworksPage());
