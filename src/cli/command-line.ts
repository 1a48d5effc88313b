/** The program `trainyard` with all of its commands, without running any. */
import type { Command } from 'commander';
import { ciCommand } from './commands/ci';
import { completionCommand } from './commands/completion';
import { costCommand } from './commands/cost';
import { devCommand } from './commands/dev';
import { diffCommand } from './commands/diff';
import { driftCommand } from './commands/drift';
import { envCommand } from './commands/env';
import { explainCommand } from './commands/explain';
import { graphCommand } from './commands/graph';
import { initCommand } from './commands/init';
import { migrateCommand } from './commands/migrate';
import { promoteCommand } from './commands/promote';
import { pushCommand } from './commands/push';
import { runCommand } from './commands/run';
import { uiCommand } from './commands/ui';
import { validateCommand } from './commands/validate';
import { cpCommand } from './jobs/commands/cp';
import { deleteCommand } from './jobs/commands/delete';
import { execCommand } from './jobs/commands/exec';
import { listCommand } from './jobs/commands/list';
import { logsCommand } from './jobs/commands/logs';
import { openCommand } from './jobs/commands/open';
import { portForwardCommand } from './jobs/commands/port-forward';
import { rerunCommand } from './jobs/commands/rerun';
import { scaleCommand } from './jobs/commands/scale';
import { statusCommand } from './jobs/commands/status';
import { submitCommand } from './jobs/commands/submit';
import { resumeCommand, suspendCommand } from './jobs/commands/suspend';
import { topCommand } from './jobs/commands/top';
import { waitCommand } from './jobs/commands/wait';
import { programWith } from './program';
import { versionCommand } from './version';

/** Builds the program. It throws where commander would end the process. */
export function commandLine(): Command {
  return programWith([
    initCommand(), runCommand(), devCommand(),
    submitCommand(), listCommand(), statusCommand(), logsCommand(), execCommand(), portForwardCommand(), openCommand(), cpCommand(), topCommand(),
    waitCommand(), suspendCommand(), resumeCommand(), scaleCommand(), rerunCommand(), deleteCommand(), uiCommand(),
    validateCommand(), envCommand(), explainCommand(), graphCommand(), diffCommand(), driftCommand(),
    costCommand(), migrateCommand(), pushCommand(), promoteCommand(), ciCommand(), completionCommand(), versionCommand(),
  ]);
}
