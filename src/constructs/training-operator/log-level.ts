/** Log level of a program. */
export enum LogLevel {
  /** Every decision. */
  DEBUG = 'debug',
  /** Events of jobs. */
  INFO = 'info',
  /** Warnings. */
  WARN = 'warn',
  /** Errors. */
  ERROR = 'error',
}
