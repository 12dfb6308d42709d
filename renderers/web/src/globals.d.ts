declare module "virtual:sprite" {
  const sprite: string;
  export default sprite;
}
declare module "*.css" {
  const css: string;
  export default css;
}
