// What the bundler makes of files that are no scripts.

declare module "*.css";

declare module "*.py" {
  const text: string;
  export default text;
}
