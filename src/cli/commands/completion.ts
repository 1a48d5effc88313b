/** `trainyard completion`: what the shell needs to complete commands, options, their values and files. */
import { Argument, Command } from 'commander';
import { bashScript } from '../completion/bash';
import { completedProgram, type CompletedProgram } from '../completion/command-tree';
import { fishScript } from '../completion/fish';
import { zshScript } from '../completion/zsh';
import { Terminal } from '../../local/output/terminal';

const SCRIPTS = {
  bash: bashScript, zsh: zshScript, fish: fishScript,
} as const satisfies { readonly [shell: string]: (program: CompletedProgram) => string };

const DETAILS = `
Prints a completion script for the shell. To install it:

  bash   echo 'source <(trainyard completion bash)' >> ~/.bashrc
  zsh    echo 'source <(trainyard completion zsh)' >> ~/.zshrc       (after compinit)
  fish   trainyard completion fish > ~/.config/fish/completions/trainyard.fish`;

/** The sub-command; it completes the program that it is a part of. */
export function completionCommand(): Command {
  return new Command('completion')
    .description('print a script that completes commands, options and files in a shell')
    .addArgument(new Argument('<shell>', 'shell to complete in').choices(Object.keys(SCRIPTS)))
    .addHelpText('after', DETAILS)
    .action((shell: keyof typeof SCRIPTS, _flags: object, command: Command) => {
      new Terminal().line(SCRIPTS[shell](completedProgram(command.parent!)));
    });
}
