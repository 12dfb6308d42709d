declare module "virtual:sprite" {
  const sprite: string;
  export default sprite;
}
declare module "virtual:drawings" {
  const drawings: string;
  export default drawings;
}
declare module "*.css" {
  const css: string;
  export default css;
}
