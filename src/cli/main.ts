/** The `trainyard` command. */
import { endOnBrokenPipe } from './broken-pipe';
import { runCommandLine } from './run-command-line';

endOnBrokenPipe();
void runCommandLine(process.argv.slice(2));
