/** Styles, which the bundler joins. */
declare module '*.css';
