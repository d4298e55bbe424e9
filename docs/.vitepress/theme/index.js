import DefaultTheme from "vitepress/theme"
// biome-ignore lint/correctness/useImportExtensions: it is a style sheet.
import "./style.css"

export default DefaultTheme
