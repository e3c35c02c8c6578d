fn main() {
    let threads: Vec<_> = (0..3)
        .map(|who| std::thread::spawn(move || (0..2000).for_each(|_| entries::enter(who))))
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    println!("order {:016x}", entries::order());
}
