;; The hot loops of the codec: conversion, mixdown and filtering, on WebAssembly's 128-bit vectors.
;;
;; The caller writes a block to memory, calls a function, and reads the result from memory. Pointers are in bytes, counts
;; in samples, frames or taps. Conversions work in groups and round up their count, so they also read and write up to 31
;; samples behind the end of a block. The caller zeroes them if they matter.
;;
;; `plainKernel.ts` does the same in TypeScript. Conversion and mixdown are equal bit for bit. Filters differ in the last
;; bits, because they sum doubles there.
(module
  (memory (export "memory") 96 96)

  ;; Unsigned 8-bit samples as floats: (x - 128) / 2^7. 16 at a time.
  (func (export "decodePcm8") (param $input i32) (param $output i32) (param $count i32)
    (local $end i32)
    (local $low v128)
    (local $high v128)
    (local.set $end (i32.add (local.get $input) (local.get $count)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $input) (local.get $end)))
        ;; Flipping the top bit subtracts 128 and makes the byte signed.
        (local.set $high (v128.xor (v128.load (local.get $input)) (v128.const i32x4 0x80808080 0x80808080 0x80808080 0x80808080)))
        (local.set $low (i16x8.extend_low_i8x16_s (local.get $high)))
        (local.set $high (i16x8.extend_high_i8x16_s (local.get $high)))
        (v128.store (local.get $output)
          (f32x4.mul
            (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $low)))
            (v128.const f32x4 0x1p-7 0x1p-7 0x1p-7 0x1p-7)))
        (v128.store offset=16 (local.get $output)
          (f32x4.mul
            (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $low)))
            (v128.const f32x4 0x1p-7 0x1p-7 0x1p-7 0x1p-7)))
        (v128.store offset=32 (local.get $output)
          (f32x4.mul
            (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $high)))
            (v128.const f32x4 0x1p-7 0x1p-7 0x1p-7 0x1p-7)))
        (v128.store offset=48 (local.get $output)
          (f32x4.mul
            (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $high)))
            (v128.const f32x4 0x1p-7 0x1p-7 0x1p-7 0x1p-7)))
        (local.set $input (i32.add (local.get $input) (i32.const 16)))
        (local.set $output (i32.add (local.get $output) (i32.const 64)))
        (br $next))))

  ;; Signed 16-bit samples as floats: x / 2^15. 8 at a time.
  (func (export "decodePcm16") (param $input i32) (param $output i32) (param $count i32)
    (local $end i32)
    (local $samples v128)
    (local.set $end (i32.add (local.get $input) (i32.shl (local.get $count) (i32.const 1))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $input) (local.get $end)))
        (local.set $samples (v128.load (local.get $input)))
        (v128.store (local.get $output)
          (f32x4.mul
            (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $samples)))
            (v128.const f32x4 0x1p-15 0x1p-15 0x1p-15 0x1p-15)))
        (v128.store offset=16 (local.get $output)
          (f32x4.mul
            (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $samples)))
            (v128.const f32x4 0x1p-15 0x1p-15 0x1p-15 0x1p-15)))
        (local.set $input (i32.add (local.get $input) (i32.const 16)))
        (local.set $output (i32.add (local.get $output) (i32.const 32)))
        (br $next))))

  ;; Signed 24-bit samples as floats: x / 2^23. 4 at a time.
  (func (export "decodePcm24") (param $input i32) (param $output i32) (param $count i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $input) (i32.mul (local.get $count) (i32.const 3))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $input) (local.get $end)))
        ;; The three bytes become the upper ones of 32 bits. The lowest byte is 0.
        (v128.store (local.get $output)
          (f32x4.mul
            (f32x4.convert_i32x4_s
              (i8x16.shuffle 16 0 1 2 16 3 4 5 16 6 7 8 16 9 10 11
                (v128.load (local.get $input))
                (v128.const i32x4 0 0 0 0)))
            (v128.const f32x4 0x1p-31 0x1p-31 0x1p-31 0x1p-31)))
        (local.set $input (i32.add (local.get $input) (i32.const 12)))
        (local.set $output (i32.add (local.get $output) (i32.const 16)))
        (br $next))))

  ;; Signed 32-bit samples as floats: x / 2^31, rounded to the nearest float. 4 at a time.
  (func (export "decodePcm32") (param $input i32) (param $output i32) (param $count i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $input) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $input) (local.get $end)))
        (v128.store (local.get $output)
          (f32x4.mul
            (f32x4.convert_i32x4_s (v128.load (local.get $input)))
            (v128.const f32x4 0x1p-31 0x1p-31 0x1p-31 0x1p-31)))
        (local.set $input (i32.add (local.get $input) (i32.const 16)))
        (local.set $output (i32.add (local.get $output) (i32.const 16)))
        (br $next))))

  ;; Pairs of signed 16-bit samples as the float of their mean: decodePcm16 and mixdown of two channels in one step.
  ;; 4 frames at a time.
  (func (export "meanPcm16") (param $input i32) (param $output i32) (param $frames i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $input) (i32.shl (local.get $frames) (i32.const 2))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $input) (local.get $end)))
        (v128.store (local.get $output)
          (f32x4.mul
            (f32x4.convert_i32x4_s
              (i32x4.dot_i16x8_s
                (v128.load (local.get $input))
                (v128.const i16x8 1 1 1 1 1 1 1 1)))
            (v128.const f32x4 0x1p-16 0x1p-16 0x1p-16 0x1p-16)))
        (local.set $input (i32.add (local.get $input) (i32.const 16)))
        (local.set $output (i32.add (local.get $output) (i32.const 16)))
        (br $next))))

  ;; Floats as signed 16-bit samples: x * 2^15, rounded to the nearest integer, halves to even, and clamped. NaN becomes 0.
  ;; Returns the number of clamped samples. 32 at a time.
  ;;
  ;; Adding 384 gives a float whose last bit is worth 2^-15, so the addition itself rounds, and the result is in the low
  ;; bits. This holds for -128 < x < 128. Narrowing turns every other value, NaN included, into -2^15 or 2^15 - 1. So a
  ;; group without these two is done, and a group with one of them is computed again exactly.
  (func (export "encodePcm16") (param $input i32) (param $output i32) (param $count i32) (result i32)
    (local $end i32)
    (local $group i32)
    (local $samples v128)
    (local $highest v128)
    (local $lowest v128)
    (local $first v128)
    (local $second v128)
    (local $clamped v128)
    (local $clipped v128)
    (local.set $end (i32.add (local.get $input) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $input) (local.get $end)))
        (local.set $samples
          (i16x8.narrow_i32x4_s
            (i32x4.sub
              (f32x4.add (v128.load (local.get $input)) (v128.const f32x4 384 384 384 384))
              (v128.const i32x4 0x43c00000 0x43c00000 0x43c00000 0x43c00000))
            (i32x4.sub
              (f32x4.add (v128.load offset=16 (local.get $input)) (v128.const f32x4 384 384 384 384))
              (v128.const i32x4 0x43c00000 0x43c00000 0x43c00000 0x43c00000))))
        (v128.store (local.get $output) (local.get $samples))
        (local.set $highest (local.get $samples))
        (local.set $lowest (local.get $samples))
        (local.set $samples
          (i16x8.narrow_i32x4_s
            (i32x4.sub
              (f32x4.add (v128.load offset=32 (local.get $input)) (v128.const f32x4 384 384 384 384))
              (v128.const i32x4 0x43c00000 0x43c00000 0x43c00000 0x43c00000))
            (i32x4.sub
              (f32x4.add (v128.load offset=48 (local.get $input)) (v128.const f32x4 384 384 384 384))
              (v128.const i32x4 0x43c00000 0x43c00000 0x43c00000 0x43c00000))))
        (v128.store offset=16 (local.get $output) (local.get $samples))
        (local.set $highest (i16x8.max_s (local.get $highest) (local.get $samples)))
        (local.set $lowest (i16x8.min_s (local.get $lowest) (local.get $samples)))
        (local.set $samples
          (i16x8.narrow_i32x4_s
            (i32x4.sub
              (f32x4.add (v128.load offset=64 (local.get $input)) (v128.const f32x4 384 384 384 384))
              (v128.const i32x4 0x43c00000 0x43c00000 0x43c00000 0x43c00000))
            (i32x4.sub
              (f32x4.add (v128.load offset=80 (local.get $input)) (v128.const f32x4 384 384 384 384))
              (v128.const i32x4 0x43c00000 0x43c00000 0x43c00000 0x43c00000))))
        (v128.store offset=32 (local.get $output) (local.get $samples))
        (local.set $highest (i16x8.max_s (local.get $highest) (local.get $samples)))
        (local.set $lowest (i16x8.min_s (local.get $lowest) (local.get $samples)))
        (local.set $samples
          (i16x8.narrow_i32x4_s
            (i32x4.sub
              (f32x4.add (v128.load offset=96 (local.get $input)) (v128.const f32x4 384 384 384 384))
              (v128.const i32x4 0x43c00000 0x43c00000 0x43c00000 0x43c00000))
            (i32x4.sub
              (f32x4.add (v128.load offset=112 (local.get $input)) (v128.const f32x4 384 384 384 384))
              (v128.const i32x4 0x43c00000 0x43c00000 0x43c00000 0x43c00000))))
        (v128.store offset=48 (local.get $output) (local.get $samples))
        (local.set $highest (i16x8.max_s (local.get $highest) (local.get $samples)))
        (local.set $lowest (i16x8.min_s (local.get $lowest) (local.get $samples)))

        (if
          (v128.any_true
            (v128.or
              (i16x8.eq (local.get $highest) (v128.const i16x8 32767 32767 32767 32767 32767 32767 32767 32767))
              (i16x8.eq (local.get $lowest) (v128.const i16x8 -32768 -32768 -32768 -32768 -32768 -32768 -32768 -32768))))
          (then
            (local.set $group (i32.const 0))
            (loop $exact
              ;; x * 2^15, and 0 for NaN.
              (local.set $first
                (f32x4.mul
                  (v128.load (i32.add (local.get $input) (i32.shl (local.get $group) (i32.const 1))))
                  (v128.const f32x4 0x1p15 0x1p15 0x1p15 0x1p15)))
              (local.set $first (v128.and (local.get $first) (f32x4.eq (local.get $first) (local.get $first))))
              (local.set $second
                (f32x4.mul
                  (v128.load offset=16 (i32.add (local.get $input) (i32.shl (local.get $group) (i32.const 1))))
                  (v128.const f32x4 0x1p15 0x1p15 0x1p15 0x1p15)))
              (local.set $second (v128.and (local.get $second) (f32x4.eq (local.get $second) (local.get $second))))
              ;; The limits are the outermost floats that round into the range: 32767.5 would round to 32768, which is even.
              (local.set $clamped
                (f32x4.pmin
                  (v128.const f32x4 0x1.fffdfep14 0x1.fffdfep14 0x1.fffdfep14 0x1.fffdfep14)
                  (f32x4.pmax
                    (v128.const f32x4 -32768.5 -32768.5 -32768.5 -32768.5)
                    (local.get $first))))
              (local.set $clipped (i32x4.sub (local.get $clipped) (f32x4.ne (local.get $clamped) (local.get $first))))
              (local.set $first (local.get $clamped))
              (local.set $clamped
                (f32x4.pmin
                  (v128.const f32x4 0x1.fffdfep14 0x1.fffdfep14 0x1.fffdfep14 0x1.fffdfep14)
                  (f32x4.pmax
                    (v128.const f32x4 -32768.5 -32768.5 -32768.5 -32768.5)
                    (local.get $second))))
              (local.set $clipped (i32x4.sub (local.get $clipped) (f32x4.ne (local.get $clamped) (local.get $second))))
              (v128.store (i32.add (local.get $output) (local.get $group))
                (i16x8.narrow_i32x4_s
                  (i32x4.trunc_sat_f32x4_s (f32x4.nearest (local.get $first)))
                  (i32x4.trunc_sat_f32x4_s (f32x4.nearest (local.get $clamped)))))
              (br_if $exact
                (i32.lt_u
                  (local.tee $group (i32.add (local.get $group) (i32.const 16)))
                  (i32.const 64))))))
        (local.set $input (i32.add (local.get $input) (i32.const 128)))
        (local.set $output (i32.add (local.get $output) (i32.const 64)))
        (br $next)))
    (i32.add
      (i32.add (i32x4.extract_lane 0 (local.get $clipped)) (i32x4.extract_lane 1 (local.get $clipped)))
      (i32.add (i32x4.extract_lane 2 (local.get $clipped)) (i32x4.extract_lane 3 (local.get $clipped)))))

  ;; The mean of the channels of each frame of interleaved floats. With two channels: 4 frames at a time.
  (func (export "mixdown") (param $input i32) (param $output i32) (param $frames i32) (param $channels i32)
    (local $end i32)
    (local $frameEnd i32)
    (local $sum f32)
    (local $first v128)
    (local $second v128)
    (local.set $end (i32.add (local.get $output) (i32.shl (local.get $frames) (i32.const 2))))
    (block $done
      (if (i32.eq (local.get $channels) (i32.const 2))
        (then
          (loop $next
            (br_if $done (i32.ge_u (local.get $output) (local.get $end)))
            (local.set $first (v128.load (local.get $input)))
            (local.set $second (v128.load offset=16 (local.get $input)))
            (v128.store (local.get $output)
              (f32x4.mul
                (f32x4.add
                  (i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27 (local.get $first) (local.get $second))
                  (i8x16.shuffle 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31 (local.get $first) (local.get $second)))
                (v128.const f32x4 0.5 0.5 0.5 0.5)))
            (local.set $input (i32.add (local.get $input) (i32.const 32)))
            (local.set $output (i32.add (local.get $output) (i32.const 16)))
            (br $next))))
      (loop $next
        (br_if $done (i32.ge_u (local.get $output) (local.get $end)))
        (local.set $sum (f32.const -0))
        (local.set $frameEnd (i32.add (local.get $input) (i32.shl (local.get $channels) (i32.const 2))))
        (loop $channel
          (local.set $sum (f32.add (local.get $sum) (f32.load (local.get $input))))
          (br_if $channel
            (i32.lt_u
              (local.tee $input (i32.add (local.get $input) (i32.const 4)))
              (local.get $frameEnd))))
        (f32.store (local.get $output)
          (f32.div (local.get $sum) (f32.convert_i32_u (local.get $channels))))
        (local.set $output (i32.add (local.get $output) (i32.const 4)))
        (br $next))))

  ;; `count` sums of products. Each multiplies the same `width` taps, a multiple of 8, with samples of the input, which start
  ;; `inputStride` bytes apart. The sums are stored `outputStride` bytes apart.
  ;;
  ;; Four sums at a time share each load of taps. The order of a sum is the same, alone or among four, so the result does
  ;; not depend on how a signal was cut into blocks.
  (func (export "convolve")
    (param $taps i32) (param $width i32)
    (param $input i32) (param $inputStride i32)
    (param $output i32) (param $outputStride i32)
    (param $count i32)
    (local $tap i32)
    (local $tapsEnd i32)
    (local $a i32)
    (local $b i32)
    (local $c i32)
    (local $d i32)
    (local $weights v128)
    (local $sumA v128)
    (local $sumB v128)
    (local $sumC v128)
    (local $sumD v128)
    (local.set $tapsEnd (i32.add (local.get $taps) (i32.shl (local.get $width) (i32.const 2))))

    (block $single
      (loop $next
        (br_if $single (i32.lt_s (local.get $count) (i32.const 4)))
        (local.set $a (local.get $input))
        (local.set $b (i32.add (local.get $a) (local.get $inputStride)))
        (local.set $c (i32.add (local.get $b) (local.get $inputStride)))
        (local.set $d (i32.add (local.get $c) (local.get $inputStride)))
        (local.set $input (i32.add (local.get $d) (local.get $inputStride)))
        (local.set $sumA (v128.const f32x4 0 0 0 0))
        (local.set $sumB (v128.const f32x4 0 0 0 0))
        (local.set $sumC (v128.const f32x4 0 0 0 0))
        (local.set $sumD (v128.const f32x4 0 0 0 0))
        (local.set $tap (local.get $taps))
        (loop $tapLoop
          (local.set $weights (v128.load (local.get $tap)))
          (local.set $sumA (f32x4.add (local.get $sumA) (f32x4.mul (v128.load (local.get $a)) (local.get $weights))))
          (local.set $sumB (f32x4.add (local.get $sumB) (f32x4.mul (v128.load (local.get $b)) (local.get $weights))))
          (local.set $sumC (f32x4.add (local.get $sumC) (f32x4.mul (v128.load (local.get $c)) (local.get $weights))))
          (local.set $sumD (f32x4.add (local.get $sumD) (f32x4.mul (v128.load (local.get $d)) (local.get $weights))))
          (local.set $weights (v128.load offset=16 (local.get $tap)))
          (local.set $sumA (f32x4.add (local.get $sumA) (f32x4.mul (v128.load offset=16 (local.get $a)) (local.get $weights))))
          (local.set $sumB (f32x4.add (local.get $sumB) (f32x4.mul (v128.load offset=16 (local.get $b)) (local.get $weights))))
          (local.set $sumC (f32x4.add (local.get $sumC) (f32x4.mul (v128.load offset=16 (local.get $c)) (local.get $weights))))
          (local.set $sumD (f32x4.add (local.get $sumD) (f32x4.mul (v128.load offset=16 (local.get $d)) (local.get $weights))))
          (local.set $a (i32.add (local.get $a) (i32.const 32)))
          (local.set $b (i32.add (local.get $b) (i32.const 32)))
          (local.set $c (i32.add (local.get $c) (i32.const 32)))
          (local.set $d (i32.add (local.get $d) (i32.const 32)))
          (br_if $tapLoop
            (i32.lt_u
              (local.tee $tap (i32.add (local.get $tap) (i32.const 32)))
              (local.get $tapsEnd))))

        ;; Four sums of four lanes each become one vector: first lanes 0 + 2 and 1 + 3, then these two.
        (local.set $sumA
          (f32x4.add
            (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $sumA) (local.get $sumB))
            (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $sumA) (local.get $sumB))))
        (local.set $sumC
          (f32x4.add
            (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $sumC) (local.get $sumD))
            (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $sumC) (local.get $sumD))))
        (local.set $sumA
          (f32x4.add
            (i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27 (local.get $sumA) (local.get $sumC))
            (i8x16.shuffle 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31 (local.get $sumA) (local.get $sumC))))
        (v128.store32_lane 0 (local.get $output) (local.get $sumA))
        (local.set $output (i32.add (local.get $output) (local.get $outputStride)))
        (v128.store32_lane 1 (local.get $output) (local.get $sumA))
        (local.set $output (i32.add (local.get $output) (local.get $outputStride)))
        (v128.store32_lane 2 (local.get $output) (local.get $sumA))
        (local.set $output (i32.add (local.get $output) (local.get $outputStride)))
        (v128.store32_lane 3 (local.get $output) (local.get $sumA))
        (local.set $output (i32.add (local.get $output) (local.get $outputStride)))
        (local.set $count (i32.sub (local.get $count) (i32.const 4)))
        (br $next)))

    (block $done
      (loop $next
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $a (local.get $input))
        (local.set $tap (local.get $taps))
        (local.set $sumA (v128.const f32x4 0 0 0 0))
        (loop $tapLoop
          (local.set $sumA
            (f32x4.add (local.get $sumA) (f32x4.mul (v128.load (local.get $a)) (v128.load (local.get $tap)))))
          (local.set $a (i32.add (local.get $a) (i32.const 16)))
          (br_if $tapLoop
            (i32.lt_u
              (local.tee $tap (i32.add (local.get $tap) (i32.const 16)))
              (local.get $tapsEnd))))
        (f32.store (local.get $output)
          (f32.add
            (f32.add (f32x4.extract_lane 0 (local.get $sumA)) (f32x4.extract_lane 2 (local.get $sumA)))
            (f32.add (f32x4.extract_lane 1 (local.get $sumA)) (f32x4.extract_lane 3 (local.get $sumA)))))
        (local.set $input (i32.add (local.get $input) (local.get $inputStride)))
        (local.set $output (i32.add (local.get $output) (local.get $outputStride)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $next))))

  ;; `count` sums of products, whose taps lie between two rows of a table. The rows have `width` taps, a multiple of 8, and
  ;; there are `rows` and one more. The first sum has the time `rest` / `phases` after the sample in the middle, each other one
  ;; `step` / `phases` after the one before. These three are integers, so the times are exact. The loop divides nothing,
  ;; because a division is slow and each time depends on the one before.
  ;;
  ;; Two sums at a time, A and B, because a processor can't fill the time that one needs. Behind the last of an odd count, B
  ;; is computed and not stored.
  (func (export "convolveBetween")
    (param $taps i32) (param $width i32) (param $rows f64)
    (param $input i32) (param $output i32) (param $count i32)
    (param $rest f64) (param $step f64) (param $phases f64)
    (local $size i32)
    (local $tapsEnd i32)
    (local $rowsPerPhase f64)
    (local $row f64)
    (local $time i64)
    (local $period i64)
    (local $stepRest i64)
    (local $stepWhole i32)
    (local $carry i64)
    (local $samples v128)
    (local $lowerA i32)
    (local $upperA i32)
    (local $sampleA i32)
    (local $lowerB i32)
    (local $upperB i32)
    (local $sampleB i32)
    (local $fractionA v128)
    (local $fractionB v128)
    (local $lowA v128)
    (local $highA v128)
    (local $lowA2 v128)
    (local $highA2 v128)
    (local $lowB v128)
    (local $highB v128)
    (local $lowB2 v128)
    (local $highB2 v128)
    (local.set $size (i32.shl (local.get $width) (i32.const 2)))
    (local.set $rowsPerPhase (f64.div (local.get $rows) (local.get $phases)))
    (local.set $time (i64.trunc_f64_u (local.get $rest)))
    (local.set $period (i64.trunc_f64_u (local.get $phases)))
    (local.set $stepRest (i64.trunc_f64_u (local.get $step)))
    (local.set $stepWhole (i32.wrap_i64 (i64.div_u (local.get $stepRest) (local.get $period))))
    (local.set $stepRest (i64.rem_u (local.get $stepRest) (local.get $period)))
    (block $done
      (loop $nextSums
        (br_if $done (i32.le_s (local.get $count) (i32.const 0)))
        (local.set $row (f64.mul (f64.convert_i64_s (local.get $time)) (local.get $rowsPerPhase)))
        (local.set $lowerA (i32.trunc_f64_s (local.get $row)))
        (local.set $fractionA (f32x4.splat (f32.demote_f64 (f64.sub (local.get $row) (f64.convert_i32_s (local.get $lowerA))))))
        (local.set $lowerA (i32.add (local.get $taps) (i32.mul (local.get $lowerA) (local.get $size))))
        (local.set $upperA (i32.add (local.get $lowerA) (local.get $size)))
        (local.set $sampleA (local.get $input))
        (local.set $time (i64.add (local.get $time) (local.get $stepRest)))
        (local.set $carry (i64.extend_i32_u (i64.ge_u (local.get $time) (local.get $period))))
        (local.set $time (i64.sub (local.get $time) (i64.and (local.get $period) (i64.sub (i64.const 0) (local.get $carry)))))
        (local.set $input (i32.add (local.get $input) (i32.shl (i32.add (local.get $stepWhole) (i32.wrap_i64 (local.get $carry))) (i32.const 2))))
        (local.set $row (f64.mul (f64.convert_i64_s (local.get $time)) (local.get $rowsPerPhase)))
        (local.set $lowerB (i32.trunc_f64_s (local.get $row)))
        (local.set $fractionB (f32x4.splat (f32.demote_f64 (f64.sub (local.get $row) (f64.convert_i32_s (local.get $lowerB))))))
        (local.set $lowerB (i32.add (local.get $taps) (i32.mul (local.get $lowerB) (local.get $size))))
        (local.set $upperB (i32.add (local.get $lowerB) (local.get $size)))
        (local.set $sampleB (local.get $input))
        (local.set $time (i64.add (local.get $time) (local.get $stepRest)))
        (local.set $carry (i64.extend_i32_u (i64.ge_u (local.get $time) (local.get $period))))
        (local.set $time (i64.sub (local.get $time) (i64.and (local.get $period) (i64.sub (i64.const 0) (local.get $carry)))))
        (local.set $input (i32.add (local.get $input) (i32.shl (i32.add (local.get $stepWhole) (i32.wrap_i64 (local.get $carry))) (i32.const 2))))
        (local.set $lowA (v128.const f32x4 0 0 0 0))
        (local.set $highA (v128.const f32x4 0 0 0 0))
        (local.set $lowA2 (v128.const f32x4 0 0 0 0))
        (local.set $highA2 (v128.const f32x4 0 0 0 0))
        (local.set $lowB (v128.const f32x4 0 0 0 0))
        (local.set $highB (v128.const f32x4 0 0 0 0))
        (local.set $lowB2 (v128.const f32x4 0 0 0 0))
        (local.set $highB2 (v128.const f32x4 0 0 0 0))
        (local.set $tapsEnd (local.get $upperA))
        (loop $tapLoop
          (local.set $samples (v128.load (local.get $sampleA)))
          (local.set $lowA (f32x4.add (local.get $lowA) (f32x4.mul (local.get $samples) (v128.load (local.get $lowerA)))))
          (local.set $highA (f32x4.add (local.get $highA) (f32x4.mul (local.get $samples) (v128.load (local.get $upperA)))))
          (local.set $samples (v128.load offset=16 (local.get $sampleA)))
          (local.set $lowA2 (f32x4.add (local.get $lowA2) (f32x4.mul (local.get $samples) (v128.load offset=16 (local.get $lowerA)))))
          (local.set $highA2 (f32x4.add (local.get $highA2) (f32x4.mul (local.get $samples) (v128.load offset=16 (local.get $upperA)))))
          (local.set $sampleA (i32.add (local.get $sampleA) (i32.const 32)))
          (local.set $upperA (i32.add (local.get $upperA) (i32.const 32)))
          (local.set $samples (v128.load (local.get $sampleB)))
          (local.set $lowB (f32x4.add (local.get $lowB) (f32x4.mul (local.get $samples) (v128.load (local.get $lowerB)))))
          (local.set $highB (f32x4.add (local.get $highB) (f32x4.mul (local.get $samples) (v128.load (local.get $upperB)))))
          (local.set $samples (v128.load offset=16 (local.get $sampleB)))
          (local.set $lowB2 (f32x4.add (local.get $lowB2) (f32x4.mul (local.get $samples) (v128.load offset=16 (local.get $lowerB)))))
          (local.set $highB2 (f32x4.add (local.get $highB2) (f32x4.mul (local.get $samples) (v128.load offset=16 (local.get $upperB)))))
          (local.set $sampleB (i32.add (local.get $sampleB) (i32.const 32)))
          (local.set $upperB (i32.add (local.get $upperB) (i32.const 32)))
          (local.set $lowerB (i32.add (local.get $lowerB) (i32.const 32)))
          (br_if $tapLoop
            (i32.lt_u
              (local.tee $lowerA (i32.add (local.get $lowerA) (i32.const 32)))
              (local.get $tapsEnd))))

        ;; The sum of the lower row, and the part of the way to that of the upper one.
        (local.set $lowA (f32x4.add (local.get $lowA) (local.get $lowA2)))
        (local.set $lowA
          (f32x4.add
            (local.get $lowA)
            (f32x4.mul
              (local.get $fractionA)
              (f32x4.sub (f32x4.add (local.get $highA) (local.get $highA2)) (local.get $lowA)))))
        (local.set $lowB (f32x4.add (local.get $lowB) (local.get $lowB2)))
        (local.set $lowB
          (f32x4.add
            (local.get $lowB)
            (f32x4.mul
              (local.get $fractionB)
              (f32x4.sub (f32x4.add (local.get $highB) (local.get $highB2)) (local.get $lowB)))))
        ;; Lanes 0 + 2 and 1 + 3 of both, then these two.
        (local.set $lowA
          (f32x4.add
            (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $lowA) (local.get $lowB))
            (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $lowA) (local.get $lowB))))
        (local.set $lowA
          (f32x4.add
            (local.get $lowA)
            (i8x16.shuffle 4 5 6 7 0 1 2 3 12 13 14 15 8 9 10 11 (local.get $lowA) (local.get $lowA))))
        (v128.store32_lane 0 (local.get $output) (local.get $lowA))
        (if (i32.gt_s (local.get $count) (i32.const 1))
          (then (v128.store32_lane offset=4 2 (local.get $output) (local.get $lowA))))
        (local.set $output (i32.add (local.get $output) (i32.const 8)))
        (local.set $count (i32.sub (local.get $count) (i32.const 2)))
        (br $nextSums)))))
