// The bundler's types for files that are not scripts.

declare module "*.css";

declare module "*.py" {
  const text: string;
  export default text;
}
