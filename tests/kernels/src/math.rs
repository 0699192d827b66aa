//! The arithmetic that kernels and their serial references share.
//!
//! Host and GPU must compute the same bits, so that each function consists of single additions, multiplications and
//! divisions, which IEEE 754 rounds alike everywhere. There is no `mul_add`, and rustc allows no contraction: a product
//! stays a product (`mul.rn` in PTX, which the assembler may not fuse either).

/// Returns one point of a Jacobi step: the mean of its four neighbours, added in this order.
#[inline]
pub fn five_point(left: f32, right: f32, up: f32, down: f32) -> f32 {
    0.25 * ((left + right) + (up + down))
}

/// Returns one point's contribution to the residual: the square of its change, in double precision, so that a sum over
/// hundreds of millions of points keeps its small terms.
#[inline]
pub fn squared_change(new: f32, old: f32) -> f64 {
    let change = new as f64 - old as f64;
    change * change
}

/// Returns the coordinate of the centre of pixel `index` (0 is first): `origin` is the centre of pixel 0.
#[inline]
pub fn pixel(origin: f64, step: f64, index: u32) -> f64 {
    origin + step * index as f64
}

/// Returns the number of times that `z := z*z + c` can be taken, from `z = 0`, before `|z|` exceeds 2.
///
/// The result is at most `limit`, and `limit` means that the point did not escape.
#[inline]
pub fn escape(c_re: f64, c_im: f64, limit: u32) -> u32 {
    let (mut re, mut im) = (0.0f64, 0.0f64);
    let mut taken = 0;
    while taken < limit {
        let (re_squared, im_squared) = (re * re, im * im);
        if re_squared + im_squared > 4.0 {
            break;
        }
        let product = re * im;
        im = (product + product) + c_im;
        re = (re_squared - im_squared) + c_re;
        taken += 1;
    }
    taken
}
