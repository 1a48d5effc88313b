/** The program of a browser; undefined where there is none. `CHROMIUM` names one. */
export declare function browserProgram(): string | undefined;
