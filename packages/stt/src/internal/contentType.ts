export { contentTypeOf } from "./container.js"
