/** Writes the pages of docs/ that are made from code: `npm run docs`. A test checks that they are current. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { acceleratorsPage } from './docs/accelerators-page';
import { enginesPage } from './docs/engines-page';
import { errorsPage } from './docs/errors-page';
import { eventsPage } from './docs/events-page';
import { frameworksPage } from './docs/frameworks-page';
import { monitoringPage } from './docs/monitoring-page';
import { observabilityPage } from './docs/observability-page';
import { platformPage } from './docs/platform-page';
import { recording } from './docs/recording';
import { referencePages } from './docs/reference-pages';
import { warningsPage } from './docs/warnings-page';

const docs = path.join(__dirname, '..', 'docs');
writeFileSync(path.join(docs, 'jobs', 'frameworks.md'), frameworksPage());
writeFileSync(path.join(docs, 'engines', 'README.md'), enginesPage());
writeFileSync(path.join(docs, 'errors.md'), errorsPage());
writeFileSync(path.join(docs, 'operator', 'events.md'), eventsPage());
writeFileSync(path.join(docs, 'operator', 'observability.md'), observabilityPage());
writeFileSync(path.join(docs, 'operator', 'monitoring.md'), monitoringPage());
writeFileSync(path.join(docs, 'jobs', 'accelerators.md'), acceleratorsPage());
writeFileSync(path.join(docs, 'platform', 'README.md'), platformPage());
writeFileSync(path.join(docs, 'warnings.md'), warningsPage());
writeFileSync(path.join(docs, 'first-minutes.svg'), recording());

const reference = path.join(docs, 'reference');
rmSync(reference, { recursive: true, force: true });
for (const [file, text] of referencePages()) {
  mkdirSync(path.dirname(path.join(reference, file)), { recursive: true });
  writeFileSync(path.join(reference, file), text);
}
