import DefaultTheme from "vitepress/theme"
import "./style.js"

export default DefaultTheme
