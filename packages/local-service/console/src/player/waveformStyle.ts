/** The style of the shadow root of wavesurfer.js, in place of its style element, which `build.ts` removes. */
export const waveformStyle = `
:host {
  user-select: none;
  min-width: 1px;
}
.scroll {
  overflow: auto hidden;
  width: 100%;
  position: relative;
}
.noScrollbar {
  scrollbar-width: none;
}
.wrapper {
  position: relative;
  z-index: 2;
}
.canvases {
  min-height: 80px;
  pointer-events: none;
}
.canvases > div,
.progress > div {
  position: relative;
}
canvas {
  display: block;
  position: absolute;
  top: 0;
  image-rendering: pixelated;
}
.progress {
  pointer-events: none;
  position: absolute;
  z-index: 2;
  top: 0;
  left: 0;
  width: 0;
  height: 100%;
  overflow: hidden;
}
.cursor {
  pointer-events: none;
  position: absolute;
  z-index: 5;
  top: 0;
  left: 0;
  height: 100%;
}
`
